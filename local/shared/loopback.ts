import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { type PageRule, pageRequest } from './local-guard.ts';

/** A server that listens on 127.0.0.1. `url` has no slash at its end; close() ends every connection and resolves when closed. */
export interface Loopback {
  readonly port: number;
  readonly url: string;
  close(): Promise<void>;
}

/** The body was longer than the reader allows; all of it has been read, so the client will see a reply. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
}

/** Longer than AWS SDK clients keep an idle connection, so that none of them writes into one being closed. */
const keepAliveMs = 300_000;

/**
 * Listens on 127.0.0.1 only and obeys no page but those that are allowed; port 0 takes any free one. Rejects with Node's error, such as code
 * EADDRINUSE.
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

/** A listener from an async function: when it rejects, the connection is dropped, as a crashed server would do. */
export function listener(handle: (req: IncomingMessage, res: ServerResponse) => Promise<void>): RequestListener {
  return (req, res) => {
    res.on('error', () => res.destroy());
    handle(req, res).catch(() => res.destroy());
  };
}

/**
 * The whole request body, once it has its Content-Length, else at its end. Rejects when the client goes away,
 * and with BodyTooLarge beyond `limitBytes`.
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
