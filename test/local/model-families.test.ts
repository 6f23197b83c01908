import { setTimeout as sleep } from 'node:timers/promises';
import { SageMakerRuntimeClient } from '@aws-sdk/client-sagemaker-runtime';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ContainerFamily, containerFamilies } from '#contract/inference/models.ts';
import type { ModelChatRequest } from '#domain/inference/chat.ts';
import type { ModelGateway, ModelStream } from '#domain/inference/model-gateway.ts';
import type { ModelChunk } from '#domain/inference/model-stream.ts';
import { sagemakerGateway } from '#gateways/sagemaker/model-gateway.ts';
import { sdkRuntime } from '#gateways/sagemaker/sdk-runtime.ts';
import type { ModelGatewaySettings } from '#gateways/sagemaker/served-model.ts';
import { demoEngine } from '#local/demo-engine/engine.ts';
import { containerError, type Engine } from '#local/sagemaker/engine.ts';
import { startSageMaker } from '#local/sagemaker/server.ts';
import { createFaults } from '#local/shared/faults.ts';
import type { Loopback } from '#local/shared/loopback.ts';

/** Every adapter against the stand-in that speaks its family's dialect, through the real client and wire protocol. */
const textFamilies = ['vllm', 'lmi', 'tgi'] as const;
/** Of tests in which a model is silent; with others, a busy machine is not to be taken for one. */
const shortMs = 500;

const demo = demoEngine({ wordDelayMs: 0 });
const faults = createFaults();
let engine: Engine;
let server: Loopback;
let client: SageMakerRuntimeClient;
let gateway: ModelGateway;

beforeAll(async () => {
  const endpoints = new Map(containerFamilies.map((family) => [`the-${family}`, family]));
  server = await startSageMaker({
    engine: { invoke: (...parameters) => engine.invoke(...parameters) },
    faults,
    endpoints,
  });
  client = new SageMakerRuntimeClient({ endpoint: server.url, maxAttempts: 1 });
  gateway = gatewayWith({});
});
beforeEach(() => {
  engine = demo;
});
afterAll(async () => {
  client.destroy();
  await server.close();
});

/** A gateway whose models are called after their families. */
const gatewayWith = (deadlines: Partial<ModelGatewaySettings>) =>
  sagemakerGateway(sdkRuntime(client), {
    endpointOf: (family) => ({ endpoint: `the-${family}`, family: family as ContainerFamily }),
    deadlineMs: 20_000,
    streamDeadlineMs: 20_000,
    ...deadlines,
  });

const chat = { messages: [{ role: 'user', content: 'Wie heißt der Fluss in Zürich? 🎉' }], max_tokens: 60 };
const prompt = { prompt: 'Once upon a time', max_tokens: 30, temperature: 0.5, top_p: 1, top_k: 50 };

async function read({ chunks }: ModelStream) {
  const all: ModelChunk[] = [];
  const error = await (async () => {
    for await (const chunk of chunks) all.push(chunk);
  })().catch((thrown: unknown) => thrown);
  const choices = all.flatMap((chunk) => chunk.choices);
  return {
    error,
    text: choices.map(({ text, delta }) => text ?? delta?.content ?? '').join(''),
    calls: choices.flatMap(({ delta }) => delta?.tool_calls ?? []).map((call) => call.function),
    reason: choices.findLast(({ finish_reason }) => finish_reason)?.finish_reason,
    usage: all.findLast(({ usage }) => usage)?.usage,
  };
}

describe.each(textFamilies)('%s', (family) => {
  it('answers a chat, whole and in chunks, like the others', async () => {
    const [reply, streamed] = [
      await gateway.chat(family, chat).send(),
      await read(gateway.chatStream(family, chat).send()),
    ];
    const { content } = (await gateway.chat('vllm', chat).send()).choices[0]!.message;
    expect(content).toMatch(/Zürich/);
    expect(reply.choices[0]!.message.content).toBe(content);
    expect(streamed).toMatchObject({ error: undefined, text: content });
    expect(streamed.usage).toMatchObject({ prompt_tokens: expect.any(Number), completion_tokens: expect.any(Number) });
    expect(reply.usage).toMatchObject({ ...streamed.usage });
    const cut = await gateway.chat(family, { ...chat, max_tokens: 8 }).send();
    expect(cut.usage).toMatchObject({ completion_tokens: 8 });
  });

  it('carries a prompt on, whole and in chunks, like the others, and tells what that took', async () => {
    const [reply, streamed] = [
      await gateway.completion(family, prompt).send(),
      await read(gateway.completionStream(family, prompt).send()),
    ];
    const { text } = (await gateway.completion('vllm', prompt).send()).choices[0]!;
    expect(reply.choices[0]).toMatchObject({ text, finish_reason: 'length' });
    expect(streamed).toMatchObject({ error: undefined, text, reason: 'length' });
    const usage = { prompt_tokens: 4, completion_tokens: 30 };
    expect(reply.usage).toMatchObject(usage);
    expect(streamed.usage).toMatchObject(usage);
  });

  it('gets the same request of a prepared call, and none until it is sent', async () => {
    const bodies: unknown[] = [];
    engine = {
      invoke(body, signal) {
        bodies.push(body);
        return demo.invoke(body, signal);
      },
    };
    const whole = gateway.chat(family, chat);
    const streamed = gateway.chatStream(family, chat);
    const carriedOn = gateway.completion(family, prompt);
    for (const call of [whole, streamed, carriedOn]) call.prepare();
    await sleep(20);
    expect(bodies).toEqual([]);
    const ready = [await whole.send(), await read(streamed.send()), await carriedOn.send()];
    const unready = [
      await gateway.chat(family, chat).send(),
      await read(gateway.chatStream(family, chat).send()),
      await gateway.completion(family, prompt).send(),
    ];
    expect(ready).toEqual(unready);
    expect(bodies.slice(0, 3)).toEqual(bodies.slice(3));
  });

  it('calls a chosen function, whole and in chunks', async () => {
    const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    const request: ModelChatRequest = {
      ...chat,
      tools: [{ type: 'function', function: { name: 'get_weather', parameters } }],
      tool_choice: { type: 'function', function: { name: 'get_weather' } },
    };
    const called = (await gateway.chat(family, request).send()).choices[0]!.message.tool_calls!;
    expect(called.map((call) => call.function.name)).toEqual(['get_weather']);
    expect(JSON.parse(called[0]!.function.arguments)).toEqual({ city: expect.any(String) });
    const { calls, error } = await read(gateway.chatStream(family, request).send());
    expect(error).toBeUndefined();
    expect(calls.map((call) => call.name ?? '').join('')).toBe('get_weather');
    expect(calls.map((call) => call.arguments ?? '').join('')).toBe(called[0]!.function.arguments);
  });

  it('is cut at a stop sequence, whole and in chunks', async () => {
    const full = (await gateway.chat(family, chat).send()).choices[0]!.message.content!;
    const stop = [full.slice(20, 27)];
    const expected = full.slice(0, full.indexOf(stop[0]!));
    const stopped = (await gateway.chat(family, { ...chat, stop }).send()).choices[0]!;
    expect([stopped.message.content, stopped.finish_reason]).toEqual([expected, expect.stringMatching(/^stop/)]);
    const streamed = await read(gateway.chatStream(family, { ...chat, stop }).send());
    expect(streamed).toMatchObject({ error: undefined, text: expected, reason: expect.stringMatching(/^stop/) });
    const continued = (await gateway.completion(family, prompt).send()).choices[0]!.text;
    const { text } = (await gateway.completion(family, { ...prompt, stop: [continued.slice(9, 14)] }).send())
      .choices[0]!;
    expect(text).toBe(continued.slice(0, 9));
  });

  it.each([
    [
      'a request beyond the context',
      containerError(400, overflow()),
      'CONTEXT_LENGTH_EXCEEDED',
      /^context_length_exceeded: .*4096.*5021/,
    ],
    ['a request against its rules', containerError(400, 'top_k must be an integer'), 'INVALID_FORMAT', /refused/],
    ['too many requests', containerError(429, 'busy'), 'SERVICE_UNAVAILABLE', /busy/],
    ['a failure', containerError(500, 'CUDA out of memory'), 'MODEL_ERROR', /failed/],
  ] as const)('tells of %s, before the reply and in place of a stream', async (_, reply, code, message) => {
    engine = { invoke: async () => reply };
    const told = { code, message: expect.stringMatching(message) };
    await expect(gateway.chat(family, chat).send()).rejects.toMatchObject(told);
    await expect(gateway.completion(family, prompt).send()).rejects.toMatchObject(told);
    expect((await read(gateway.chatStream(family, chat).send())).error).toMatchObject(told);
    expect((await read(gateway.completionStream(family, prompt).send())).error).toMatchObject(told);
  });

  const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
  const piece = event({ choices: [{ delta: { content: 'Hello' }, finish_reason: null }] });
  it.each<readonly [string, readonly (string | Error)[]]>([
    ['reports an error', [piece, event({ error: { message: 'CUDA', code: 500 } }), 'data: [DONE]\n\n']],
    ['breaks its connection', [piece, new Error('broken')]],
    ['ends without a reason', [piece]],
    // TGI has no such reason.
    ...(family === 'tgi'
      ? []
      : [['ends for a reason that is a failure', [piece, event({ choices: [{ finish_reason: 'abort' }] })]] as const]),
  ])('that %s in the middle of a stream has failed, after its output so far', async (_, events) => {
    engine = streaming(events);
    const { text, error } = await read(gateway.chatStream(family, chat).send());
    expect([text, error]).toEqual(['Hello', expect.objectContaining({ code: 'MODEL_ERROR' })]);
  });
});

function overflow(): string {
  return "This model's maximum context length is 4096 tokens. However, you requested 5021 tokens (4509 in the messages, 512 in the completion).";
}

function streaming(events: readonly (string | Error)[]): Engine {
  async function* chunks() {
    for (const event of events) {
      if (event instanceof Error) throw event;
      yield Buffer.from(event);
    }
  }
  return { invoke: async () => ({ kind: 'stream', contentType: 'text/event-stream', chunks: chunks() }) };
}

describe('the gateway', () => {
  it.each([
    ['throttle', 'SERVICE_UNAVAILABLE'],
    ['unavailable', 'SERVICE_UNAVAILABLE'],
    ['cut', 'MODEL_ERROR'],
    ['hang', 'MODEL_TIMEOUT'],
  ] as const)('explains what SageMaker does: %s', async (fault, code) => {
    faults.order({ target: 'sagemaker', fault, count: 2 });
    const hasty = gatewayWith({ deadlineMs: shortMs });
    await expect(hasty.chat('vllm', chat).send()).rejects.toMatchObject({ code });
    expect((await read(hasty.chatStream('vllm', chat).send())).error).toMatchObject({ code });
  });

  it('explains an endpoint that is not there, and a family that cannot do what is requested', async () => {
    const code = 'SERVICE_UNAVAILABLE';
    expect(() => gateway.chat('tei', chat).prepare()).toThrow(expect.objectContaining({ code }));
    await expect(gateway.chat('tei', chat).send()).rejects.toMatchObject({ code });
    expect(() => gateway.chatStream('tei', chat).send()).toThrow(expect.objectContaining({ code }));
    const lost = sagemakerGateway(sdkRuntime(client), {
      endpointOf: () => ({ endpoint: 'lost', family: 'vllm' }),
      deadlineMs: 20_000,
      streamDeadlineMs: 20_000,
    });
    await expect(lost.chat('svc-1', chat).send()).rejects.toMatchObject({ code });
  });

  it.each([
    ['no choice', { choices: [] }],
    ['an error of vllm', { error: { message: 'x', code: 500 } }],
    ['an error of older vllm', { object: 'error', message: 'x', code: 500 }],
    ['an error of lmi', { error: 'x', code: 424 }],
    ['an error of any other kind', { error: ['x'] }],
    ['a text', 'Internal Server Error'],
    ['nothing', null],
    ['a reason that is a failure', { choices: [{ message: { content: '' }, finish_reason: 'error' }] }],
  ])('takes a 200 with %s for a failure', async (_, body) => {
    engine = { invoke: async () => ({ kind: 'json', status: 200, body }) };
    await expect(gateway.chat('vllm', chat).send()).rejects.toMatchObject({ code: 'MODEL_ERROR' });
    expect((await read(gateway.chatStream('vllm', chat).send())).error).toMatchObject({ code: 'MODEL_ERROR' });
  });

  it.each(['', 'Internal Server Error', '{"choices":', '\u0000'])(
    'takes a 200 with the bytes %j for a failure',
    async (bytes) => {
      engine = streaming([bytes]);
      await expect(gateway.chat('vllm', chat).send()).rejects.toMatchObject({ code: 'MODEL_ERROR' });
      expect((await read(gateway.chatStream('vllm', chat).send())).error).toMatchObject({ code: 'MODEL_ERROR' });
    },
  );

  /** A model that goes on for ever, and tells how far it is and whether it was ended. */
  function endless(pieces: readonly string[], betweenMs = 0) {
    const state = { made: 0, ended: Promise.withResolvers<void>() };
    engine = {
      invoke: async (_, signal) => {
        signal.addEventListener('abort', () => state.ended.resolve());
        return { kind: 'stream', contentType: 'text/event-stream', chunks: chunks() };
      },
    };
    async function* chunks() {
      for (; ; state.made += 1) {
        const content = pieces[state.made % pieces.length];
        yield Buffer.from(`data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`);
        await (betweenMs > 0 ? sleep(betweenMs) : undefined);
      }
    }
    return state;
  }

  it('ends the work of a model that runs past a stop sequence, also one in pieces', async () => {
    const state = endless(['to be', ' or', ' not', ' to', ' be'], 1);
    const { text, error, reason } = await read(gateway.chatStream('vllm', { ...chat, stop: ['not to be'] }).send());
    expect([text, error, reason]).toEqual(['to be or ', undefined, 'stop']);
    await state.ended.promise;
  });

  it.each([
    ['the caller goes', async ({ cancel }: ModelStream) => cancel()],
    ['the reader stops', async ({ chunks }: ModelStream) => void (await chunks.return(undefined))],
  ])('ends the work of a model when %s', async (_, leave) => {
    const state = endless(['word '], 1);
    const stream = gateway.chatStream('vllm', chat).send();
    await stream.chunks.next();
    await leave(stream);
    await state.ended.promise;
    await expect(stream.chunks.next())
      .resolves.toMatchObject({ done: true })
      .catch(() => undefined);
  });

  it('gives up a model that falls silent in the middle, and one that never ends', async () => {
    engine = { invoke: async () => ({ kind: 'stream', contentType: 'text/event-stream', chunks: silent() }) };
    async function* silent() {
      yield Buffer.from(`data: ${JSON.stringify({ choices: [{ delta: { content: 'Hello' } }] })}\n\n`);
      await new Promise(() => undefined);
    }
    const fell = await read(gatewayWith({ deadlineMs: shortMs }).chatStream('vllm', chat).send());
    expect([fell.text, fell.error]).toEqual(['Hello', expect.objectContaining({ code: 'MODEL_TIMEOUT' })]);
    const state = endless(['word '], 5);
    const went = await read(gatewayWith({ streamDeadlineMs: shortMs }).chatStream('vllm', chat).send());
    expect(went.text).toMatch(/^(word )+$/);
    expect(went.error).toMatchObject({ code: 'MODEL_TIMEOUT' });
    await state.ended.promise;
  });

  it('waits for a slow reader, with whom the model keeps pace, longer than for a model', async () => {
    const state = endless(['x'.repeat(10_000)]);
    const deadlineMs = 1500;
    const { chunks } = gatewayWith({ deadlineMs }).chatStream('vllm', chat).send();
    for (let taken = 0; taken < 3; taken += 1) expect((await chunks.next()).done).toBe(false);
    await sleep(deadlineMs + 300);
    const held = state.made;
    expect((await chunks.next()).done).toBe(false);
    // What fits into the buffers of sockets and streams, of 10 KB a chunk.
    expect(held).toBeLessThan(2000);
    await sleep(50);
    expect(state.made - held).toBeLessThan(200);
    await chunks.return(undefined);
    await state.ended.promise;
  });
});

// Last: of batches that are requested concurrently, some are still on their way when one has failed.
describe.each(['vllm', 'lmi', 'tei'])('embeddings of %s', (family) => {
  const input = Array.from({ length: 70 }, (_, index) => `text number ${index}`);

  it('are the vectors of the texts, in their order', async () => {
    const { data, usage } = await gateway.embed(family, { input });
    const expected = (await gateway.embed('vllm', { input })).data;
    expect(data).toEqual(expected);
    expect(data.map(({ index }) => index)).toEqual(input.map((_, index) => index));
    expect(usage).toEqual(family === 'vllm' ? { prompt_tokens: 210 } : null);
  });

  it('have the requested dimensions, or the call is refused', async () => {
    const embedded = gateway.embed(family, { input: ['a'], dimensions: 8 });
    if (family === 'lmi')
      await expect(embedded).rejects.toMatchObject({ code: 'INVALID_FORMAT', message: /^dimensions/ });
    else expect((await embedded).data[0]!.embedding).toHaveLength(8);
  });

  it.each([
    [containerError(400, overflow()), 'CONTEXT_LENGTH_EXCEEDED'],
    [containerError(429, 'busy'), 'SERVICE_UNAVAILABLE'],
    [containerError(500, 'CUDA'), 'MODEL_ERROR'],
  ])('fail as they should', async (reply, code) => {
    engine = { invoke: async () => reply };
    await expect(gateway.embed(family, { input })).rejects.toMatchObject({ code });
  });
});
