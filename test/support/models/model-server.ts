import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach } from 'vitest';

export type ModelServer = Awaited<ReturnType<typeof startModelServer>>;

/** A scripted model server that counts its requests and open streams. */
export async function startModelServer() {
  const calm = { runs: 0, streams: 0, delayMs: 0, silent: false, refuses: false, content: 'ok' };
  const state = { ...calm };
  let finished = Promise.withResolvers<void>();

  /** Waits for `delayMs`, or until a test sets it to 0. */
  async function pause(): Promise<void> {
    for (const end = Date.now() + state.delayMs; state.delayMs > 0 && Date.now() < end;) await sleep(5);
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const received = await text(request);
    if (request.method === 'GET') return response.end(JSON.stringify({ data: [{ id: 'm' }] }));
    state.runs += 1;
    if (JSON.parse(received).stream) return stream(response);
    const message = { content: `${state.content} ${state.runs}` };
    await pause();
    if (state.refuses) return response.writeHead(400).end(JSON.stringify({ error: { message: 'no' } }));
    const usage = { prompt_tokens: 1, completion_tokens: 1 };
    response.setHeader('content-type', 'application/json');
    return response.end(JSON.stringify({ choices: [{ message, finish_reason: 'stop' }], usage }));
  }

  /** Streams two chunks. The second is late; if `silent`, the first is too. A disconnected client receives none. */
  async function stream(response: ServerResponse): Promise<void> {
    response.setHeader('content-type', 'text/event-stream');
    response.on('close', () => void (state.streams -= 1));
    state.streams += 1;
    if (state.silent) await sleep(state.delayMs);
    response.write(`data: ${JSON.stringify({ choices: [{ delta: { content: state.content } }] })}\n\n`);
    await Promise.race([sleep(state.delayMs), finished.promise]);
    response.end(`data: ${JSON.stringify({ choices: [{ delta: {}, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`);
  }

  const server = createServer((request, response) => void respond(request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');

  return {
    state,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    /** Ends the open streams before their `delayMs`. */
    finish(): void {
      finished.resolve();
      finished = Promise.withResolvers();
    },
    reset: () => Object.assign(state, calm),
    close: () => server.close(),
  };
}

/** Starts a model server before the tests of a file, and resets it before each. */
export function useModelServer(): ModelServer {
  const model = {} as ModelServer;
  beforeAll(async () => void Object.assign(model, await startModelServer()));
  beforeEach(() => void model.reset());
  afterAll(() => void model.close());
  return model;
}
