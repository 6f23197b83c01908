import { type GuideSlug, originMark } from '#contract/dashboard-config.ts';
import { firstModelFor, models } from '#contract/inference/models.ts';
import { offer } from '#contract/offer/current-offer.ts';
import { capabilities, type Capability } from '#contract/offer/offer.ts';
import { isSold, type Service } from '#contract/offered-services.ts';
import { claim, failedCalls, freeCreditsText } from '../../src/lib/offer.ts';
import { html, type PublicPage, type Question, questionsSection } from './page.ts';

interface ServiceText {
  /** The service that must be sold. */
  readonly of: Service;
  readonly title: string;
  readonly text: string;
  readonly guide: GuideSlug;
}

const hasTools = models.some(({ features }) => features.includes('tools'));

const allServices: readonly ServiceText[] = [
  {
    of: 'chat',
    title: 'Chat',
    text: `Conversations, with or without streaming${hasTools ? ', with function calling' : ''}.`,
    guide: 'chat',
  },
  {
    of: 'translation',
    title: 'Translation',
    text: 'Whole texts from one language into another.',
    guide: 'translation',
  },
  {
    of: 'speech',
    title: 'Text-to-speech',
    text: 'Speech in several voices and formats, sent while it is generated.',
    guide: 'audio',
  },
  {
    of: 'text analysis',
    title: 'Text analysis',
    text: 'Sentiment, entities, key phrases, personal data and your own categories.',
    guide: 'analysis',
  },
  {
    of: 'transcription',
    title: 'Transcription',
    text: 'Transcripts of recordings, with timestamps.',
    guide: 'audio',
  },
  {
    of: 'embeddings',
    title: 'Embeddings',
    text: 'Vectors for search, clustering and recommendations.',
    guide: 'embeddings',
  },
  {
    of: 'text completion',
    title: 'Text completion',
    text: 'A prompt, continued by the model.',
    guide: 'completions',
  },
  {
    of: 'chat',
    title: 'Agents',
    text: `A model with your instructions, functions${isSold.embeddings ? ', documents' : ''} and stored conversations.`,
    guide: 'agents',
  },
  {
    of: 'messages',
    title: 'Messages',
    text: 'SMS and voice calls, each handed to the carrier once.',
    guide: 'messages',
  },
  { of: 'webhooks', title: 'Webhooks', text: 'Signed events for your server.', guide: 'webhooks' },
];

export const services: readonly ServiceText[] = allServices.filter(({ of }) => isSold[of]);

const bearer = '-H "Authorization: Bearer $API_KEY"';

/** A line for each field, so that the example fits next to the headline. */
function json(path: string, body: Readonly<Record<string, unknown>>): string {
  const fields = Object.entries(body).map(([name, value]) => `    "${name}": ${JSON.stringify(value)}`);
  const data = `'{\n${fields.join(',\n')}\n  }'`;
  return [`curl ${originMark}${path}`, bearer, '-H "Content-Type: application/json"', `-d ${data}`].join(' \\\n  ');
}

/** A request to a model for each capability, the most common first. */
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

/** A request for the most common capability that is sold. */
function firstRequest(): string {
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

const sdkExamples: readonly SdkExample[] = [
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

const questions: readonly Question[] = [
  {
    question: 'Does it work with my OpenAI or Anthropic code?',
    answer:
      'Yes. Set the base URL and the API key of the official SDK, or of Claude Code. Requests, responses, streams and errors have the same form.',
  },
  {
    question: 'What does a call cost?',
    answer:
      'Each call costs credits by the price of its model or service. The header x-credits-charged contains the exact amount.',
  },
  { question: 'What does a failed call cost?', answer: failedCalls() },
  {
    question: 'What happens when my credits are used up?',
    answer:
      'Calls return 402 until you have credits again. The balance never becomes negative, and nothing else is billed.',
  },
  {
    question: 'Can I limit what a key spends?',
    answer: 'Yes. An API key can have limits of credits, models and services, and alerts warn you by email.',
  },
];

export const front: PublicPage = {
  path: '/',
  title: offer.product.name,
  description: [claim(), freeCreditsText()].filter(Boolean).join(' '),
  content: html`<section class="hero">
      <div>
        <h1>${claim()}</h1>
        <p class="lead">
          Create a key, send a request, and pay with credits. The official OpenAI SDKs work with two changed lines.
        </p>
        <p class="actions">
          <a class="button" href="/register">Create account</a>
          <a class="button plain" href="/pricing">Models and pricing</a>
        </p>
        ${freeCreditsText() !== '' && html`<p class="note">${freeCreditsText()}</p>`}
      </div>
      <figure>
        <figcaption>A first request</figcaption>
        <pre tabindex="0"><code>${firstRequest()}</code></pre>
      </figure>
    </section>
    <section aria-labelledby="sdks">
      <h2 id="sdks">Keep your OpenAI code</h2>
      <p>Change the base URL and the key. Nothing else.</p>
      <div class="pair">
        ${sdkExamples.map(
          ({ language, before, changed, after }) =>
            html`<figure>
              <figcaption>${language}</figcaption>
              <pre tabindex="0"><code>${before}<mark>${changed}</mark>${after}</code></pre>
            </figure>`,
        )}
      </div>
    </section>
    <section aria-labelledby="services">
      <h2 id="services">Services</h2>
      <ul class="cards">
        ${services.map(
          ({ title, text, guide }) =>
            html`<li>
              <h3><a href="/guides/${guide}">${title}</a></h3>
              <p>${text}</p>
            </li>`,
        )}
      </ul>
    </section>
    ${questionsSection(questions)}`,
};
