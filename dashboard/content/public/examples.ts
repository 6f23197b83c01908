import { originMark } from '#contract/dashboard-config.ts';
import { firstModelFor } from '#contract/inference/models.ts';
import type { Capability } from '#contract/offer/offer.ts';

const headers = '-H "Authorization: Bearer $API_KEY" -H "Content-Type: application/json"';

const json = (path: string, body: object): string =>
  `curl ${originMark}${path} \\\n  ${headers} \\\n  -d '${JSON.stringify(body)}'`;

/** A request for each capability, in order of preference. */
const requests: readonly (readonly [Capability, (model: string) => string])[] = [
  ['chat', (model) => json('/v1/chat/completions', { model, messages: [{ role: 'user', content: 'Hello' }] })],
  ['completion', (model) => json('/v1/completions', { model, prompt: 'Once upon a time', max_tokens: 100 })],
  ['embeddings', (model) => json('/v1/embeddings', { model, input: ['a river bank', 'a savings bank'] })],
  [
    'speech',
    (model) =>
      `${json('/openai/v1/audio/speech', { model, voice: 'alloy', input: 'Good morning' })} \\\n  --output speech.mp3`,
  ],
  [
    'transcription',
    (model) =>
      `curl ${originMark}/openai/v1/audio/transcriptions \\\n  -H "Authorization: Bearer $API_KEY" \\\n  -F model=${model} -F file=@recording.wav`,
  ],
];

/** A request to the first model of the most usual capability that is sold. */
export function firstRequest(): string {
  const [capability, request] = requests.find(([capability]) => firstModelFor(capability) !== '') ?? [];
  if (!capability || !request) throw new Error('the offer has no model');
  return request(firstModelFor(capability));
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
