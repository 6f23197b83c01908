import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';

/** Nothing is loaded from elsewhere and no script runs, but the page's own; mails are shown in frames of their own. */
const contentSecurityPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-src 'self'; frame-ancestors 'self'; form-action 'self'; base-uri 'none'";

/** What a page with a script of its own may do beside: run it, read from here, play audio from here. */
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
