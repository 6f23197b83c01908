import { offer } from '#contract/offer/current-offer.ts';
import { creditCount } from '../../src/lib/format.ts';
import { failedCalls } from '../../src/lib/names.ts';
import { claim, freePlan } from '../../src/lib/offered.ts';
import { firstRequest, sdkExamples } from './examples.ts';
import { html } from './html.ts';
import { type PublicPage, type Question, questionsSection } from './page.ts';
import { services } from './services.ts';

const freeCredits = freePlan?.creditsPerMonth ?? 0;
const freeText = freeCredits > 0 ? `${creditCount(freeCredits)} per month are free. No card required.` : '';

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
  { question: 'What does a failed call cost?', answer: failedCalls },
  {
    question: 'What happens when my credits are used up?',
    answer:
      'Calls return 402 until the next monthly credits or an upgrade. The balance never becomes negative, and nothing else is billed.',
  },
  {
    question: 'Can I limit what a key spends?',
    answer: 'Yes. An API key can have limits of credits, models and services, and alerts warn you by email.',
  },
];

export const front: PublicPage = {
  path: '/',
  title: offer.product.name,
  description: [claim, freeText].filter(Boolean).join(' '),
  content: html`<section class="hero">
      <div>
        <h1>${claim}</h1>
        <p class="lead">
          Create a key, send a request, and pay with credits. The official OpenAI SDKs work with two changed lines.
        </p>
        <p class="actions">
          <a class="button" href="/register">Create account</a>
          <a class="button plain" href="/pricing">Models and pricing</a>
        </p>
        ${freeText !== '' && html`<p class="note">${freeText}</p>`}
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
