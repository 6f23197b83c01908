import { originMark } from '#contract/dashboard-config.ts';
import { firstModelFor } from '#contract/inference/models.ts';
import { capabilities, type Capability } from '#contract/offer/offer.ts';

const bearer = '-H "Authorization: Bearer $API_KEY"';

/** A line for each field, so that the example fits beside the headline. */
function json(path: string, body: Readonly<Record<string, unknown>>): string {
  const fields = Object.entries(body).map(([name, value]) => `    "${name}": ${JSON.stringify(value)}`);
  const data = `'{\n${fields.join(',\n')}\n  }'`;
  return [`curl ${originMark}${path}`, bearer, '-H "Content-Type: application/json"', `-d ${data}`].join(' \\\n  ');
}

/** A request to a model for each capability, the most usual first. */
export const requests: Readonly<Record<Capability, (model: string) => string>> = {
  chat: (model) => json('/v1/chat/completions', { model, messages: [{ role: 'user', content: 'Hello' }] }),
  completion: (model) => json('/v1/completions', { model, prompt: 'Once upon a time', max_tokens: 100 }),
  embeddings: (model) => json('/v1/embeddings', { model, input: ['a river bank', 'a savings bank'] }),
  speech: (model) =>
    `${json('/openai/v1/audio/speech', { model, voice: 'alloy', input: 'Good morning' })} \\\n  --output speech.mp3`,
  transcription: (model) =>
    [`curl ${originMark}/openai/v1/audio/transcriptions`, bearer, `-F model=${model} -F file=@speech.mp3`].join(
      ' \\\n  ',
    ),
};

/** A request of the most usual capability that is sold. */
export function firstRequest(): string {
  const capability = capabilities.find((one) => firstModelFor(one) !== '');
  if (capability === undefined) throw new Error('no plan of the offer includes a model');
  return requests[capability](firstModelFor(capability));
}

interface SdkExample {
  readonly language: string;
  readonly before: string;
  /** The lines to change in a program that calls OpenAI. */
  readonly changed: string;
  readonly after: string;
}

export const sdkExamples: readonly SdkExample[] = [
  {
    language: 'JavaScript',
    before: "import OpenAI from 'openai';\n\nconst client = new OpenAI({\n",
    changed: `  baseURL: '${originMark}/openai/v1',\n  apiKey: process.env.API_KEY,\n`,
    after: '});',
  },
  {
    language: 'Python',
    before: 'import os\nfrom openai import OpenAI\n\nclient = OpenAI(\n',
    changed: `    base_url="${originMark}/openai/v1",\n    api_key=os.environ["API_KEY"],\n`,
    after: ')',
  },
];
