import type { IncomingMessage } from 'node:http';

/**
 * Why a request is refused that a page of another site has caused, or undefined when none has. Such a page reaches
 * 127.0.0.1 through the person's browser: by a name of its own that resolves to it (DNS rebinding), or across origins.
 */
export function foreignRequest(request: IncomingMessage, path: string): string | undefined {
  const { origin } = request.headers;
  const isOtherOrigin = origin !== undefined && origin !== `http://${authorityOf(request)}`;
  const isOtherSite = isFromOtherSite(request) && !opensPage(request, path);
  return foreignHost(request) ?? (isOtherOrigin || isOtherSite ? foreignPage : undefined);
}

/** As `foreignRequest`, for a server without pages of its own: to it, every page is foreign but those that it allows. */
export function pageRequest(request: IncomingMessage, isAllowed: PageRule = () => false): string | undefined {
  const isFromPage = request.headers.origin !== undefined || isFromOtherSite(request);
  return foreignHost(request) ?? (isFromPage && !isAllowed(request) ? foreignPage : undefined);
}

/** Whether a page may send this request. */
export type PageRule = (request: IncomingMessage) => boolean;

const foreignPage = 'A page of another origin may not use this.';

/** Also our names without a port will do: a browser adds the port, and it is the name that gives a page of another site away. */
function foreignHost(request: IncomingMessage): string | undefined {
  const authority = authorityOf(request);
  const names = ['127.0.0.1', 'localhost'];
  const { localPort } = request.socket;
  if (authority === undefined || names.some((name) => authority === name || authority === `${name}:${localPort}`))
    return undefined;
  return `The Host header must be ${names.map((name) => `${name}:${localPort}`).join(' or ')}.`;
}

/** A target that names its host counts before the Host header (RFC 9112, 3.2.2); HTTP/1.0 need not have one. */
function authorityOf({ url = '', headers: { host } }: IncomingMessage): string | undefined {
  return (/^https?:\/\/([^/?#]*)/i.exec(url)?.[1] ?? host)?.toLowerCase();
}

/** Also true of `same-site`: another port of this machine is the same site. */
function isFromOtherSite({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

/** A link that a person follows may open a page of ours, whatever page it is on: nothing can be read over there. */
function opensPage({ method, headers }: IncomingMessage, path: string): boolean {
  const isLink = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  return (
    method === 'GET' &&
    isLink &&
    (path === '/_local/inbox' || path === '/_local/clock' || !/^\/(_local|api|v1|openai)(\/|$)/.test(path))
  );
}
