import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';

/** A server on 127.0.0.1. `url` has no trailing slash. `close` also closes open connections. */
export interface Loopback {
  readonly port: number;
  readonly url: string;
  close(): Promise<void>;
}

/** The body was read completely, so that the client receives the response. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
}

/** Longer than AWS SDK clients keep an idle connection, so that none writes to a closing one. */
const keepAliveMs = 300_000;

/**
 * Listens on 127.0.0.1 and rejects requests from web pages, except allowed ones. Port 0 selects a free port. Rejects
 * with Node's error, such as EADDRINUSE.
 */
export function listen(listener: RequestListener, port = 0, allowsPage?: PageRule): Promise<Loopback> {
  const server = createServer(
    { noDelay: true, keepAliveTimeout: keepAliveMs, requestTimeout: 0 },
    withoutPages(listener, allowsPage),
  );
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      const address = server.address();
      const bound = typeof address === 'object' && address ? address.port : port;
      resolve({
        port: bound,
        url: `http://127.0.0.1:${bound}`,
        close: () =>
          new Promise((closed) => {
            server.close(() => closed());
            server.closeAllConnections();
          }),
      });
    });
  });
}

function withoutPages(listener: RequestListener, allowsPage?: PageRule): RequestListener {
  return (req, res) => {
    const refusal = pageRequest(req, allowsPage);
    if (refusal === undefined) listener(req, res);
    else sendJson(res, 403, { error: refusal });
  };
}

/** If the handler rejects, drops the connection, like a crashed server. */
export function listener(handle: (req: IncomingMessage, res: ServerResponse) => Promise<void>): RequestListener {
  return (req, res) => {
    res.on('error', () => res.destroy());
    handle(req, res).catch(() => res.destroy());
  };
}

/**
 * Resolves once Content-Length bytes are read, or at the end of the body. Rejects if the client disconnects, or with
 * BodyTooLarge above `limitBytes`.
 */
export function readBody(req: IncomingMessage, limitBytes = Number.POSITIVE_INFINITY): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const length = Number(req.headers['content-length']);
  const parts: Buffer[] = [];
  let bytes = 0;
  const end = (): void => {
    if (bytes > limitBytes) reject(new BodyTooLarge(`The body has ${bytes} bytes; ${limitBytes} are allowed.`));
    else resolve(parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts));
  };
  req.on('data', (part: Buffer) => {
    bytes += part.length;
    if (bytes <= limitBytes) parts.push(part);
    if (bytes === length) end();
  });
  req.once('end', end);
  req.once('error', reject);
  return promise;
}

export function sendJson(
  res: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  const text = Buffer.from(JSON.stringify(body));
  res.writeHead(status, { 'content-type': 'application/json', 'content-length': text.length, ...headers });
  res.end(text);
}

/** A response of the AWS JSON 1.0 protocol. */
export function sendAwsJson(res: ServerResponse, status: number, body: unknown): void {
  sendJson(res, status, body, { 'content-type': 'application/x-amz-json-1.0' });
}

/**
 * Reason to reject a request from another site's page. Undefined for any other request. Such a page reaches 127.0.0.1
 * through the user's browser, by a name that resolves to it (DNS rebinding) or across origins.
 */
export function foreignRequest(request: IncomingMessage, path: string, isAllowedOrigin = false): string | undefined {
  if (isAllowedOrigin) return foreignHost(request);
  const { origin } = request.headers;
  const isOtherOrigin = origin !== undefined && origin !== `http://${authorityOf(request)}`;
  const isOtherSite = isFromOtherSite(request) && !opensPage(request, path);
  return foreignHost(request) ?? (isOtherOrigin || isOtherSite ? foreignPage : undefined);
}

/** Like `foreignRequest`, for a server without its own pages: rejects every page that is not allowed. */
function pageRequest(request: IncomingMessage, isAllowed: PageRule = () => false): string | undefined {
  const isFromPage = request.headers.origin !== undefined || isFromOtherSite(request);
  return foreignHost(request) ?? (isFromPage && !isAllowed(request) ? foreignPage : undefined);
}

export type PageRule = (request: IncomingMessage) => boolean;

const foreignPage = 'A page of another origin may not use this.';

/** Accepts our names without a port: browsers add the port, and the name alone reveals another site. */
function foreignHost(request: IncomingMessage): string | undefined {
  const authority = authorityOf(request);
  const names = ['127.0.0.1', 'localhost'];
  const { localPort } = request.socket;
  if (authority === undefined || names.some((name) => authority === name || authority === `${name}:${localPort}`))
    return undefined;
  return `The Host header must be ${names.map((name) => `${name}:${localPort}`).join(' or ')}.`;
}

/**
 * An absolute-form target takes precedence over the Host header (RFC 9112, 3.2.2). HTTP/1.0 does not require either.
 */
function authorityOf({ url = '', headers: { host } }: IncomingMessage): string | undefined {
  return (/^https?:\/\/([^/?#]*)/i.exec(url)?.[1] ?? host)?.toLowerCase();
}

/** `same-site` also counts as another site, because it includes other ports of this machine. */
function isFromOtherSite({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

/** A link on any page may open one of our pages, because the other page cannot read it. */
function opensPage({ method, headers }: IncomingMessage, path: string): boolean {
  const isLink = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  return (
    method === 'GET' &&
    isLink &&
    (path === '/_local/inbox' || path === '/_local/clock' || !/^\/(_local|api|v1|openai|anthropic)(\/|$)/.test(path))
  );
}
