import { readFileSync } from 'node:fs';
import { originMark } from '#contract/dashboard-config.ts';
import { offer } from '#contract/offer/current-offer.ts';
import { brand, escapeHtml } from '#contract/shared/html.ts';
import { pictureFile, pictureSize } from './picture.ts';

/** Markup whose inserted texts are escaped. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Value = string | Html | readonly Html[] | false | null;

/** Template of markup. Escapes inserted text, inserts markup unchanged, and omits false and null. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  return new Html(parts.map((part, index) => part + markupOf(values[index] ?? null)).join(''));
}

function markupOf(value: Value): string {
  if (value === false || value === null) return '';
  if (typeof value === 'string') return escapeHtml(value);
  return value instanceof Html ? value.text : value.map(({ text }) => text).join('');
}

export interface PublicPage {
  readonly path: '/' | '/pricing';
  readonly title: string;
  readonly description: string;
  readonly content: Html;
}

export interface Question {
  readonly question: string;
  readonly answer: string;
}

const { product } = offer;
const { links, supportEmail } = product;
const styles = readFileSync(new URL('public.css', import.meta.url), 'utf8');

/** Links of the offer, for footers and llms.txt. */
export const productLinks = (
  [
    [links.docs, 'Documentation'],
    [links.status, 'Status'],
    [links.terms, 'Terms'],
    [links.privacy, 'Privacy'],
  ] as const
).flatMap(([url, title]) => (url === undefined ? [] : [{ url, title }]));

/** A whole document that needs no script. */
export function renderPage({ path, title, description, content }: PublicPage): string {
  const fullTitle = path === '/' ? product.name : `${title} · ${product.name}`;
  const { width, height } = pictureSize;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${fullTitle}</title>
        <meta name="description" content="${description}" />
        <meta property="og:type" content="website" />
        <meta property="og:site_name" content="${product.name}" />
        <meta property="og:title" content="${fullTitle}" />
        <meta property="og:description" content="${description}" />
        <meta property="og:url" content="${originMark + path}" />
        <meta property="og:image" content="${originMark}/${pictureFile}" />
        <meta property="og:image:width" content="${String(width)}" />
        <meta property="og:image:height" content="${String(height)}" />
        <meta property="og:image:alt" content="${product.name}" />
        <meta name="twitter:card" content="summary_large_image" />
        <link rel="icon" href="/favicon.ico" sizes="32x32" />
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <link rel="alternate" type="text/markdown" href="${path === '/' ? '/llms.txt' : `${path}.md`}" />
        <style>
          :root { --brand: ${brand.accent}; }
          ${new Html(styles)}
        </style>
        <script src="/copy.js" defer></script>
      </head>
      <body>
        <a class="skip" href="#content">Skip to content</a>
        ${header(path)}
        <main id="content">${content}</main>
        ${footer()}
      </body>
    </html> `.text;
}

function header(path: string): Html {
  const link = (href: string, label: string): Html =>
    html`<a href="${href}" ${href === path && html` aria-current="page"`}>${label}</a>`;
  return html`<header class="bar">
    <a class="brand" href="/">${logo()}${product.name}</a>
    <nav aria-label="Main">
      ${link('/pricing', 'Pricing')} ${link('/guides', 'Guides')} ${link('/docs', 'API reference')}
      ${link('/login', 'Sign in')}
      <a class="button" href="/register">Create account</a>
    </nav>
  </header>`;
}

const logo = (): Html =>
  product.logo === null
    ? html`<svg width="28" height="28" viewBox="0 0 32 32" aria-hidden="true">
        <rect width="32" height="32" rx="8" fill="${brand.accent}" />
        <path d="M8 10h16M8 16h10M8 22h5" stroke="#fff" stroke-width="3" stroke-linecap="round" />
        <circle cx="22.5" cy="21" r="3.5" fill="${brand.coin}" />
      </svg>`
    : html`<img src="data:image/svg+xml,${encodeURIComponent(product.logo)}" alt="" height="28" />`;

function footer(): Html {
  const item = (href: string, label: string): Html => html`<li><a href="${href}">${label}</a></li>`;
  return html`<footer>
    <nav aria-label="More">
      <ul>
        ${item('/pricing', 'Models and pricing')} ${item('/guides', 'Guides')} ${item('/docs', 'API reference')}
        ${item('/openapi.json', 'OpenAPI document')} ${item('/llms.txt', 'llms.txt')}
        ${productLinks.map(({ url, title }) => item(url, title))}
        ${supportEmail !== null && item(`mailto:${supportEmail}`, supportEmail)}
      </ul>
    </nav>
  </footer>`;
}

export const questionsSection = (questions: readonly Question[]): Html =>
  html`<section aria-labelledby="questions">
    <h2 id="questions">Questions</h2>
    ${questions.map(
      ({ question, answer }) =>
        html`<details>
          <summary>${question}</summary>
          <p>${answer}</p>
        </details>`,
    )}
  </section>`;
