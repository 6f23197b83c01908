import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { offer } from '#contract/offer/current-offer.ts';
import { palettesOf } from '#contract/offer/palette.ts';
import { brand, escapeHtml, htmlEntities } from '#contract/shared/html.ts';

/** Serves everything except the API. Returns false for other paths. */
export type Pages = (request: IncomingMessage, response: ServerResponse, path: string) => boolean;

export interface HtmlPage {
  readonly title: string;
  readonly head?: string;
  readonly style: string;
  readonly body: string;
  /** The page's content security policy must allow it. */
  readonly script?: string;
}

/** A page of the service in light or dark mode that loads nothing from elsewhere. */
export function htmlPage({ title, head = '', style, body, script }: HtmlPage): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
${head}
<title>${title} · ${escapeHtml(brand.name)}</title>
<link rel="icon" href="data:,">
<style>${common}${style}</style>
</head>
<body>
${brandLine}
${body}
${script === undefined ? '' : `<script>${script}</script>\n`}</body>
</html>
`;
}

const { logo, accent } = offer.product;
const mark =
  logo === null
    ? `<svg width="28" height="28" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" fill="${brand.accent}"/><path d="M8 10h16M8 16h10M8 22h5" stroke="#fff" stroke-width="3" stroke-linecap="round"/><circle cx="22.5" cy="21" r="3.5" fill="${brand.coin}"/></svg>`
    : `<img height="28" alt="" src="data:image/svg+xml;base64,${Buffer.from(logo).toString('base64')}">`;
const brandLine = `<a class="brand" href="/">${mark}${escapeHtml(brand.name)}</a>`;
const dark = accent === null ? { accent: '#8fcbac', on: '#0c2419' } : palettesOf(accent).dark;

const common = `
:root { --ink: ${brand.ink}; --dim: ${brand.dim}; --line: ${brand.line}; --page: ${brand.page}; --card: ${brand.card}; --accent: ${brand.accent}; --on-accent: #fff; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #ecebe6; --dim: #aeaca3; --line: #34342f; --page: #141412; --card: #1f1f1c; --accent: ${dark.accent}; --on-accent: ${dark.on}; }
  .brand img { padding: 3px; border-radius: .4rem; background: #fff; }
}
* { box-sizing: border-box; }
.brand { display: flex; gap: .6rem; align-items: center; max-width: 46rem; margin: 0 auto; padding: 1.25rem 1rem 0; color: inherit; font-weight: 700; letter-spacing: -.02em; text-decoration: none; }
.brand svg { flex: none; }
.brand + header { padding-block-start: 1.25rem; }
.button, button { display: inline-block; padding: .6rem 1.1rem; border: 0; border-radius: .5rem; background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600; text-decoration: none; cursor: pointer; }
.button:hover, button:hover { filter: brightness(1.08); }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
a { color: var(--accent); }
a:focus-visible, button:focus-visible, summary:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: .4rem; }
`;

/** Allows no external resources and no scripts. Emails are shown in frames. */
const contentSecurityPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-src 'self'; frame-ancestors 'self'; form-action 'self'; base-uri 'none'";

/** Also allows the page's script, requests to this origin, and audio from this origin. */
const withScript = (script: string): string =>
  `${contentSecurityPolicy}; script-src 'sha256-${createHash('sha256').update(script).digest('base64')}'; connect-src 'self'; media-src 'self'`;

export function sendPage(response: ServerResponse, status: number, html: string, script?: string): void {
  const body = Buffer.from(html);
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-length': body.byteLength,
    'content-security-policy': script === undefined ? contentSecurityPolicy : withScript(script),
    'cache-control': 'no-store',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  });
  response.end(body);
}

export function unescapeHtml(text: string): string {
  return [...htmlEntities]
    .toReversed()
    .reduce((plain, [character, entity]) => plain.replaceAll(entity, character), text);
}
