import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach } from 'vitest';

export interface Received {
  readonly at: number;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type Respond = (response: ServerResponse, received: Received) => unknown;

export const respondWith =
  (status: number, headers: Record<string, string> = {}, body = ''): Respond =>
  (response) =>
    response.writeHead(status, headers).end(body);

/** Never responds. */
export const hang: Respond = () => undefined;

/** An HTTP server that records its requests, and responds as a test sets. */
export async function startReceiver(respond: Respond = respondWith(204)) {
  const received: Received[] = [];
  let current = respond;
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const { url: path = '', headers } = request;
    const one = { at: performance.now(), path, headers, body: Buffer.concat(pieces).toString() };
    received.push(one);
    await current(response, one);
  }
  const server = createServer((request, response) => void handle(request, response).catch(() => response.destroy()));
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    received,
    events: (): any[] => received.map(({ body }) => JSON.parse(body)),
    respond(next: Respond) {
      current = next;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** Starts a receiver before the tests of a file, which has received nothing before each and responds with 204. */
export function useReceiver(): Receiver {
  const receiver = {} as Receiver;
  beforeAll(async () => void Object.assign(receiver, await startReceiver()));
  beforeEach(() => {
    receiver.received.length = 0;
    receiver.respond(respondWith(204));
  });
  afterAll(() => receiver.close());
  return receiver;
}
