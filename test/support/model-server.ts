import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export type ModelServer = Awaited<ReturnType<typeof startModelServer>>;

/** A model server that counts what it is asked, and answers as a test wants. */
export async function startModelServer() {
  const calm = { runs: 0, delayMs: 0, refuses: false, content: 'ok' };
  const state = { ...calm };

  const server = createServer(async (request, response) => {
    request.resume();
    response.setHeader('content-type', 'application/json');
    if (request.method === 'GET') return response.end(JSON.stringify({ data: [{ id: 'm' }] }));
    state.runs += 1;
    const message = { content: `${state.content} ${state.runs}` };
    await sleep(state.delayMs);
    if (state.refuses) return response.writeHead(400).end(JSON.stringify({ error: { message: 'no' } }));
    const usage = { prompt_tokens: 1, completion_tokens: 1 };
    return response.end(JSON.stringify({ choices: [{ message, finish_reason: 'stop' }], usage }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');

  return {
    state,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    reset: () => Object.assign(state, calm),
    close: () => server.close(),
  };
}
