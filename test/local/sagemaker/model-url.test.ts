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
import { type ModelUrlOptions, modelUrlEngine } from '#local/sagemaker/openai-server.ts';
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

/** A model server as Ollama or vLLM is one, and the engine in front of it. */
async function setUp(
  respond: (res: ServerResponse, seen: Seen, req: IncomingMessage) => unknown,
  options: Partial<ModelUrlOptions> = {},
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
const echo = (res: ServerResponse, { url, body }: Seen) =>
  sendJson(res, 200, url === 'GET /v1/models' ? { data: [{ id: 'first' }, { id: 'second' }] } : { got: body });

describe('a model server behind the stand-in', () => {
  it.each([
    [{ messages: [], temperature: 0.5 }, '/v1/chat/completions'],
    [{ prompt: 'hi', extra: [1] }, '/v1/completions'],
    [{ input: ['hi'] }, '/v1/embeddings'],
  ])('gets %j at %s, under the given model name', async (body, path) => {
    const { engine, seen } = await setUp(echo, { modelName: 'mine' });
    const reply = await engine.invoke({ model: 'svc-1', ...body }, never);
    expect(reply).toEqual({ kind: 'json', status: 200, body: { got: { ...body, model: 'mine' } } });
    expect(seen.map(({ url }) => url)).toEqual([`POST ${path}`]);
  });

  it('lists its models once when no name is given', async () => {
    const { engine, seen } = await setUp(echo);
    await Promise.all([engine.invoke({ prompt: 'a' }, never), engine.invoke({ prompt: 'b' }, never)]);
    await engine.invoke({ prompt: 'c' }, never);
    expect(seen.filter(({ url }) => url === 'GET /v1/models')).toHaveLength(1);
    expect(seen.at(-1)?.body.model).toBe('first');
  });

  it('lists them again after it had none', async () => {
    let ready = false;
    const { engine } = await setUp((res, seen) => (ready ? echo(res, seen) : sendJson(res, 200, { data: [] })));
    const early = await engine.invoke({ prompt: 'a' }, never);
    expect(early).toMatchObject({
      status: 503,
      body: { error: { message: expect.stringContaining('lists no model') } },
    });
    ready = true;
    expect(await engine.invoke({ prompt: 'a' }, never)).toMatchObject({ status: 200 });
  });

  it('has its refusals passed on as they are', async () => {
    const refused = { error: { message: 'no such model', code: 404 } };
    const { engine } = await setUp((res) => sendJson(res, 404, refused), { modelName: 'x' });
    expect(await engine.invoke({ prompt: 'a' }, never)).toEqual({ kind: 'json', status: 404, body: refused });
  });

  it('is a 502 when it does not speak JSON', async () => {
    const { engine } = await setUp((res) => res.end('<html>'), { modelName: 'x' });
    expect(await engine.invoke({ prompt: 'a' }, never)).toMatchObject({ kind: 'json', status: 502 });
  });

  it('is not followed where it redirects, with or without a given name', async () => {
    const followed: string[] = [];
    const trap = await setUp((res, { url }) => void res.end(followed.push(url)));
    const { engine } = await setUp((res) => res.writeHead(307, { location: `${trap.url}/stolen` }).end(), {
      modelName: 'x',
    });
    expect(await engine.invoke({ prompt: 'a' }, never)).toMatchObject({ kind: 'json', status: 502 });
    const unnamed = await setUp((res) => res.writeHead(302, { location: `${trap.url}/v1/models` }).end());
    expect(await unnamed.engine.invoke({ prompt: 'a' }, never)).toMatchObject({ kind: 'json', status: 503 });
    expect(followed).toEqual([]);
  });

  it('is refused when its reply is packed, or has no end', async () => {
    const packed = await setUp((res) => res.setHeader('content-encoding', 'gzip').end(gzipSync('{}')), {
      modelName: 'x',
    });
    expect(await packed.engine.invoke({ prompt: 'a' }, never)).toMatchObject({ kind: 'json', status: 502 });
    for (const modelName of [undefined, 'x']) {
      const endless = await setUp(
        (res) => flood(res, ' '.repeat(65_536)),
        modelName === undefined ? {} : { modelName },
      );
      const reply = await endless.engine.invoke({ prompt: 'a' }, never);
      expect(reply).toMatchObject({
        kind: 'json',
        status: 502,
        body: { error: { message: expect.stringContaining('more than') } },
      });
    }
  });

  it('is a 502, which is not reported as busy, when it resets its connection or sends no HTTP', async () => {
    for (const respond of [
      (res: ServerResponse) => res.destroy(),
      (res: ServerResponse) => res.socket!.end('this is not HTTP\r\n\r\n'),
      (res: ServerResponse) => res.writeHead(200, { 'content-length': 100 }).end('{"choices"', () => res.destroy()),
    ]) {
      const { engine } = await setUp(respond, { modelName: 'x' });
      const reply = await engine.invoke({ prompt: 'a' }, never);
      expect(reply).toMatchObject({
        status: 502,
        body: { error: { message: expect.stringContaining('an incomplete response') } },
      });
    }
  });

  it('is a 503 that names the address when nobody is there', async () => {
    const { engine, url } = await setUp(echo, { modelName: 'x' });
    await ends.pop()?.();
    const reply = await engine.invoke({ prompt: 'a' }, never);
    expect(reply).toMatchObject({
      status: 503,
      body: { error: { message: expect.stringContaining(`${url}/v1: connect ECONNREFUSED`) } },
    });
  });

  it('is not sent the option of streams that only vLLM knows', async () => {
    const { engine, seen } = await setUp(echo, { modelName: 'x' });
    const stream_options = { include_usage: true, continuous_usage_stats: true };
    await engine.invoke({ prompt: 'a', stream: true, stream_options }, never);
    expect(seen.at(-1)?.body).toEqual({
      model: 'x',
      prompt: 'a',
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  it('gets no request for a body of no known shape', async () => {
    const { engine, seen } = await setUp(echo);
    expect(await engine.invoke({ text: 'a' }, never)).toMatchObject({ status: 400 });
    expect(await engine.invoke('a', never)).toMatchObject({ status: 400 });
    expect(seen).toEqual([]);
  });

  it('streams through to the SDK client byte for byte, each event when it comes', async () => {
    const more = Promise.withResolvers<void>();
    const { engine } = await setUp(
      async (res) => {
        res.writeHead(200, { 'content-type': 'text/event-stream' });
        res.write('data: {"text":"Grüß"}\n\n');
        await more.promise;
        res.end('data: [DONE]\n\n');
      },
      { modelName: 'x' },
    );
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

  it('breaking off in the middle is a ModelStreamError', async () => {
    const { engine } = await setUp(
      async (res) => {
        res.writeHead(200, { 'content-type': 'text/event-stream' });
        res.write('data: one\n\n');
        await setTimeout(20);
        res.destroy();
      },
      { modelName: 'x' },
    );
    const client = await clientOf(engine);
    const { Body } = await client.send(new InvokeEndpointWithResponseStreamCommand(input));
    const read = (async () => {
      for await (const _ of Body ?? []);
    })();
    await expect(read).rejects.toMatchObject({ name: 'ModelStreamError' });
  });

  it('sees its request end when the caller goes away', async () => {
    const ended = Promise.withResolvers<void>();
    const caller = new AbortController();
    const { engine } = await setUp(
      async (res) => {
        caller.abort();
        await once(res, 'close');
        ended.resolve();
      },
      { modelName: 'x' },
    );
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
