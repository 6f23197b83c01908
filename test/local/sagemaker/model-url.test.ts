import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import {
  InvokeEndpointCommand,
  InvokeEndpointWithResponseStreamCommand,
  SageMakerRuntimeClient,
} from '@aws-sdk/client-sagemaker-runtime';
import { afterEach, describe, expect, it } from 'vitest';
import { type ModelUrlOptions, modelUrlEngine, silenceAt } from '#local/sagemaker/openai-server.ts';
import { startSageMaker } from '#local/sagemaker/server.ts';
import { createFaults } from '#local/shared/faults.ts';
import { listen, listener, readBody, sendJson } from '#local/shared/loopback.ts';
import { flood } from '#test/models/hostile/hostile-runtime.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

interface Seen {
  url: string;
  body: Record<string, unknown>;
}

/** A model server like Ollama or vLLM, and the engine in front of it. */
async function setUp(
  respond: (res: ServerResponse, seen: Seen, req: IncomingMessage) => unknown,
  options: Partial<ModelUrlOptions> = { modelName: 'x' },
) {
  const seen: Seen[] = [];
  const server = await listen(
    listener(async (req, res) => {
      const text = (await readBody(req)).toString();
      const request = { url: `${req.method} ${req.url}`, body: text ? JSON.parse(text) : {} };
      seen.push(request);
      await respond(res, request, req);
    }),
  );
  ends.push(() => server.close());
  return { engine: modelUrlEngine({ url: `${server.url}/v1/`, ...options }), seen, url: server.url };
}

const never = new AbortController().signal;
const saying = (status: number, message: string) => ({
  kind: 'json',
  status,
  body: { error: { message: expect.stringContaining(message) } },
});
const echo = (res: ServerResponse, { url, body }: Seen) =>
  sendJson(res, 200, url === 'GET /v1/models' ? { data: [{ id: 'first' }, { id: 'second' }] } : { got: body });

describe('the model server of --model-url', () => {
  it('that does not respond is reported at the start, and once for many requests, until it responds', async () => {
    const lines: string[] = [];
    const server = await listen(listener(async (_, res) => sendJson(res, 200, {})));
    const { url, port } = server;
    await server.close();
    expect(await silenceAt('--model-url', `${url}/v1`)).toMatch(/^Nothing answers at http.*ECONNREFUSED.*--model-url/);
    const engine = modelUrlEngine({ url: `${url}/v1`, modelName: 'x', log: (line) => void lines.push(line) });
    for (const _ of [1, 2])
      expect(await engine.invoke({ prompt: 'hi' }, never)).toMatchObject(saying(503, 'be reached'));
    expect(lines).toEqual([expect.stringContaining(`cannot be reached at ${url}/v1: connect ECONNREFUSED`)]);
    const back = await listen(
      listener(async (_, res) => sendJson(res, 200, {})),
      port,
    );
    expect(await silenceAt('--model-url', `${url}/v1`)).toBeUndefined();
    await engine.invoke({ prompt: 'hi' }, never);
    await back.close();
    // The first request uses the connection that was closed.
    for (const _ of [1, 2]) await engine.invoke({ prompt: 'hi' }, never);
    expect(lines).toHaveLength(2);
  });

  it.each([
    [{ messages: [], temperature: 0.5 }, '/v1/chat/completions'],
    [{ prompt: 'hi', extra: [1] }, '/v1/completions'],
    [{ input: ['hi'] }, '/v1/embeddings'],
  ])('receives %j at %s with the given model name', async (body, path) => {
    const { engine, seen } = await setUp(echo, { modelName: 'mine' });
    const reply = await engine.invoke({ model: 'svc-1', ...body }, never);
    expect(reply).toEqual({ kind: 'json', status: 200, body: { got: { ...body, model: 'mine' } } });
    expect(seen.map(({ url }) => url)).toEqual([`POST ${path}`]);
  });

  it('receives one request for its list of models if no name is given', async () => {
    const { engine, seen } = await setUp(echo, {});
    await Promise.all([engine.invoke({ prompt: 'a' }, never), engine.invoke({ prompt: 'b' }, never)]);
    await engine.invoke({ prompt: 'c' }, never);
    expect(seen.filter(({ url }) => url === 'GET /v1/models')).toHaveLength(1);
    expect(seen.at(-1)?.body.model).toBe('first');
  });

  it('receives another request for its list of models if the list was empty', async () => {
    let ready = false;
    const { engine } = await setUp((res, seen) => (ready ? echo(res, seen) : sendJson(res, 200, { data: [] })), {});
    expect(await engine.invoke({ prompt: 'a' }, never)).toMatchObject(saying(503, 'lists no model'));
    ready = true;
    expect(await engine.invoke({ prompt: 'a' }, never)).toMatchObject({ status: 200 });
  });

  const prompt = { prompt: 'a' };
  const refused = { error: { message: 'no such model', code: 404 } };
  const large = ' '.repeat(65_536);

  it.each<[string, (res: ServerResponse) => unknown, object]>([
    ['its own errors', (res) => sendJson(res, 404, refused), { kind: 'json', status: 404, body: refused }],
    ['502 if it does not return JSON', (res) => res.end('<html>'), { kind: 'json', status: 502 }],
    [
      '502 if its reply is compressed',
      (res) => res.setHeader('content-encoding', 'gzip').end(gzipSync('{}')),
      { kind: 'json', status: 502 },
    ],
    ['502 if its reply does not end', (res) => flood(res, large), saying(502, 'more than')],
    ['502 if it resets its connection', (res) => res.destroy(), saying(502, 'an incomplete response')],
    [
      '502 if it does not send HTTP',
      (res) => res.socket!.end('this is not HTTP\r\n\r\n'),
      saying(502, 'an incomplete response'),
    ],
    [
      '502 if its reply is cut off',
      (res) => res.writeHead(200, { 'content-length': 100 }).end('{"choices"', () => res.destroy()),
      saying(502, 'an incomplete response'),
    ],
  ])('returns %s', async (_, respond, expected) => {
    const { engine } = await setUp(respond);
    expect(await engine.invoke(prompt, never)).toMatchObject(expected);
  });

  it('returns 502 if its list of models does not end', async () => {
    const { engine } = await setUp((res) => flood(res, large), {});
    expect(await engine.invoke(prompt, never)).toMatchObject(saying(502, 'more than'));
  });

  it('that redirects is not followed, with or without a given name', async () => {
    const followed: string[] = [];
    const trap = await setUp((res, { url }) => void res.end(followed.push(url)));
    const redirect = (res: ServerResponse) => res.writeHead(307, { location: `${trap.url}/v1/models` }).end();
    for (const [options, status] of [
      [{ modelName: 'x' }, 502],
      [{}, 503],
    ] as const) {
      const { engine } = await setUp(redirect, options);
      expect(await engine.invoke(prompt, never)).toMatchObject({ kind: 'json', status });
    }
    expect(followed).toEqual([]);
  });

  it('that is down leads to a 503 with its address', async () => {
    const { engine, url } = await setUp(echo);
    await ends.pop()?.();
    expect(await engine.invoke(prompt, never)).toMatchObject(saying(503, `${url}/v1: connect ECONNREFUSED`));
  });

  it('receives no stream option that only vLLM has', async () => {
    const { engine, seen } = await setUp(echo);
    const stream_options = { include_usage: true, continuous_usage_stats: true };
    await engine.invoke({ prompt: 'a', stream: true, stream_options }, never);
    expect(seen.at(-1)?.body).toEqual({
      model: 'x',
      prompt: 'a',
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  it('receives no request with a body of an unknown kind', async () => {
    const { engine, seen } = await setUp(echo);
    expect(await engine.invoke({ text: 'a' }, never)).toMatchObject({ status: 400 });
    expect(await engine.invoke('a', never)).toMatchObject({ status: 400 });
    expect(seen).toEqual([]);
  });

  it('streams to the SDK client byte for byte, each event immediately', async () => {
    const more = Promise.withResolvers<void>();
    const { engine } = await setUp(async (res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write('data: {"text":"Grüß"}\n\n');
      await more.promise;
      res.end('data: [DONE]\n\n');
    });
    const client = await clientOf(engine);
    const { Body, ContentType } = await client.send(new InvokeEndpointWithResponseStreamCommand(input));
    const received: Buffer[] = [];
    for await (const event of Body ?? []) {
      received.push(Buffer.from(event.PayloadPart?.Bytes ?? []));
      if (Buffer.concat(received).toString().endsWith('}\n\n')) more.resolve();
    }
    expect(Buffer.concat(received).toString()).toBe('data: {"text":"Grüß"}\n\ndata: [DONE]\n\n');
    expect(ContentType).toBe('text/event-stream');
  });

  it('that breaks off a stream causes a ModelStreamError', async () => {
    const { engine } = await setUp(async (res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write('data: one\n\n');
      await setTimeout(20);
      res.destroy();
    });
    const client = await clientOf(engine);
    const { Body } = await client.send(new InvokeEndpointWithResponseStreamCommand(input));
    const read = (async () => {
      for await (const _ of Body ?? []);
    })();
    await expect(read).rejects.toMatchObject({ name: 'ModelStreamError' });
  });

  it('is disconnected when the client disconnects', async () => {
    const ended = Promise.withResolvers<void>();
    const caller = new AbortController();
    const { engine } = await setUp(async (res) => {
      caller.abort();
      await once(res, 'close');
      ended.resolve();
    });
    const client = await clientOf(engine);
    const call = client.send(new InvokeEndpointCommand(input), { abortSignal: caller.signal });
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
    await ended.promise;
  });
});

const input = { EndpointName: 'svc-1', Body: '{"prompt":"hi"}' };

async function clientOf(engine: ReturnType<typeof modelUrlEngine>): Promise<SageMakerRuntimeClient> {
  const server = await startSageMaker({ engine, faults: createFaults(), endpoints: new Map([['svc-1', 'vllm']]) });
  const client = new SageMakerRuntimeClient({ endpoint: server.url, maxAttempts: 1 });
  ends.push(
    () => server.close(),
    () => client.destroy(),
  );
  return client;
}
