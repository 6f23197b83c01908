import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import {
  InvokeEndpointCommand,
  InvokeEndpointWithResponseStreamCommand,
  ModelError,
  ModelStreamError,
  SageMakerRuntimeClient,
  ServiceUnavailable,
  ValidationError,
} from '@aws-sdk/client-sagemaker-runtime';
import { ConfiguredRetryStrategy } from '@smithy/core/retry';
import * as fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { splitAwkwardly } from '#local/sagemaker/event-frames.ts';
import { type Engine, type EngineReply, startSageMaker } from '#local/sagemaker/server.ts';
import { createFaults, type FaultOf, type Faults } from '#local/shared/faults.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

async function setUp(invoke: Engine['invoke'], maxAttempts = 1) {
  const faults: Faults = createFaults();
  const server = await startSageMaker({ engine: { invoke }, faults, endpoints: new Map([['svc-1', 'vllm']]) });
  const client = new SageMakerRuntimeClient({
    endpoint: server.url,
    retryStrategy: new ConfiguredRetryStrategy(maxAttempts, 1),
  });
  ends.push(
    () => server.close(),
    () => client.destroy(),
  );
  const fail = (fault: FaultOf<'sagemaker'>, count = 1) => faults.order({ target: 'sagemaker', fault, count });
  return { client, server, fail };
}

const input = { EndpointName: 'svc-1', ContentType: 'application/json', Body: '{"prompt":"hi"}' };
const plain = (more: object = {}) => new InvokeEndpointCommand({ ...input, ...more });
const streaming = (more: object = {}) => new InvokeEndpointWithResponseStreamCommand({ ...input, ...more });

const json = (body: unknown, status = 200): EngineReply => ({ kind: 'json', status, body });
const stream = (chunks: AsyncIterable<Uint8Array>): EngineReply => ({
  kind: 'stream',
  contentType: 'text/event-stream',
  chunks,
});
async function* texts(...all: string[]): AsyncGenerator<Uint8Array> {
  for (const text of all) yield Buffer.from(text);
}

async function parts(client: SageMakerRuntimeClient): Promise<Buffer[]> {
  const { Body } = await client.send(streaming());
  const all: Buffer[] = [];
  for await (const event of Body ?? []) all.push(Buffer.from(event.PayloadPart?.Bytes ?? []));
  return all;
}

describe('plain calls', () => {
  it('hand the parsed body to the engine and its reply back, with the headers of the service', async () => {
    const bodies: unknown[] = [];
    const { client } = await setUp(async (body) => {
      bodies.push(body);
      return json({ text: 'wörld 🎉' });
    });
    const reply = await client.send(plain({ CustomAttributes: 'trace=1' }));
    expect(JSON.parse(reply.Body.transformToString())).toEqual({ text: 'wörld 🎉' });
    expect(reply).toMatchObject({
      ContentType: 'application/json',
      InvokedProductionVariant: 'AllTraffic',
      CustomAttributes: 'trace=1',
    });
    expect(reply.$metadata.requestId).toMatch(/^[\w-]{36}$/);
    expect(bodies).toEqual([{ prompt: 'hi' }]);
  });

  it('refuse an unknown endpoint without asking the engine', async () => {
    const { client } = await setUp(() => Promise.reject(new Error('invoked')));
    await expect(client.send(plain({ EndpointName: 'other' }))).rejects.toBeInstanceOf(ValidationError);
    await expect(client.send(streaming({ EndpointName: 'other' }))).rejects.toBeInstanceOf(ValidationError);
  });

  it.each([plain(), streaming()])('wrap what the container refuses as ModelError, untouched', async (command) => {
    const refused = { error: { message: 'too "long"', code: 400 } };
    const { client } = await setUp(async () => json(refused, 400));
    const error = await client.send(command as InvokeEndpointCommand).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(ModelError);
    expect(error).toMatchObject({ OriginalStatusCode: 400, $metadata: { httpStatusCode: 424 } });
    expect(JSON.parse(error.OriginalMessage)).toEqual(refused);
  });

  it('are a container 400 when the body is not JSON', async () => {
    const { client } = await setUp(() => Promise.reject(new Error('invoked')));
    await expect(client.send(plain({ Body: '{"prompt":' }))).rejects.toMatchObject({ OriginalStatusCode: 400 });
  });

  it('are an InternalFailure when the engine dies', async () => {
    const { client } = await setUp(() => Promise.reject(new Error('dead')));
    await expect(client.send(plain())).rejects.toMatchObject({ name: 'InternalFailure' });
  });

  it('refuse a body beyond 25 MB and let the client see that', async () => {
    const { client } = await setUp(async () => json({}));
    const Body = Buffer.alloc(25 * 1024 * 1024 + 1, 'x');
    await expect(client.send(plain({ Body }))).rejects.toMatchObject({
      name: 'ValidationError',
      $metadata: { httpStatusCode: 413 },
    });
  });

  it('collect a stream that was requested without streaming', async () => {
    const { client } = await setUp(async () => stream(texts('data: 1\n\n', 'data: 2\n\n')));
    const { Body, ContentType } = await client.send(plain());
    expect([Body.transformToString(), ContentType]).toEqual(['data: 1\n\ndata: 2\n\n', 'text/event-stream']);
  });

  it('abort the work of the engine when the caller goes away', async () => {
    const aborted = Promise.withResolvers<void>();
    const caller = new AbortController();
    const { client } = await setUp(async (_, signal) => {
      signal.addEventListener('abort', () => aborted.resolve());
      caller.abort();
      await aborted.promise;
      return json({});
    });
    const call = client.send(plain(), { abortSignal: caller.signal });
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
    await aborted.promise;
  });
});

describe('streaming calls', () => {
  it('give the same bytes in awkward parts, the model type in a header', async () => {
    const sent = ['data: {"delta":"Zürich"}\n\n', 'data: {"delta":"日本 🎉"}\n\n', 'data: [DONE]\n\n'];
    const { client } = await setUp(async () => stream(texts(...sent)));
    expect((await client.send(streaming())).ContentType).toBe('text/event-stream');
    const received = await parts(client);
    expect(Buffer.concat(received).toString()).toBe(sent.join(''));
    expect(received.some((part) => part.toString().includes('\ufffd'))).toBe(true);
    expect(received.length).toBeGreaterThan(2 * sent.length);
    expect(await parts(client)).toEqual(received);
  });

  it('send every chunk immediately, without waiting for the next', async () => {
    const more = Promise.withResolvers<void>();
    const { client } = await setUp(async () =>
      stream(
        (async function* () {
          yield Buffer.from('data: one\n\n');
          await more.promise;
          yield Buffer.from('data: two\n\n');
        })(),
      ),
    );
    const { Body } = await client.send(streaming());
    let text = '';
    for await (const event of Body ?? []) {
      text += Buffer.from(event.PayloadPart?.Bytes ?? []).toString();
      if (text === 'data: one\n\n') more.resolve();
    }
    expect(text).toBe('data: one\n\ndata: two\n\n');
  });

  it('throw ModelStreamError from the iterator when the engine breaks, after its output so far', async () => {
    const { client } = await setUp(async () =>
      stream(
        (async function* () {
          yield Buffer.from('data: one\n\n');
          throw new Error('out of memory');
        })(),
      ),
    );
    const { Body } = await client.send(streaming());
    let text = '';
    const read = (async () => {
      for await (const event of Body ?? []) text += Buffer.from(event.PayloadPart?.Bytes ?? []).toString();
    })();
    const error = await read.catch((thrown) => thrown);
    expect(error).toBeInstanceOf(ModelStreamError);
    expect(error).toMatchObject({ ErrorCode: 'StreamBroken', message: expect.stringContaining('out of memory') });
    expect(text).toBe('data: one\n\n');
  });

  it('end the engine when the caller goes away', async () => {
    const ended = Promise.withResolvers<boolean>();
    const { client } = await setUp(async (_, signal) =>
      stream(
        (async function* () {
          try {
            for (;;) {
              yield Buffer.from('data: on and on\n\n');
              await setTimeout(1, undefined, { signal });
            }
          } finally {
            ended.resolve(signal.aborted);
          }
        })(),
      ),
    );
    const aborter = new AbortController();
    const { Body } = await client.send(streaming(), { abortSignal: aborter.signal });
    const read = (async () => {
      for await (const _ of Body ?? []) aborter.abort();
    })();
    await expect(read).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(await ended.promise).toBe(true);
  });

  it('make the engine wait for a caller that does not read', async () => {
    let made = 0;
    const { server } = await setUp(async () =>
      stream(
        (async function* () {
          for (; made < 2000; made += 1) yield Buffer.alloc(64 * 1024, 'x');
        })(),
      ),
    );
    const socket = connect(server.port, '127.0.0.1');
    ends.push(() => socket.destroy());
    socket.pause();
    socket.write(
      'POST /endpoints/svc-1/invocations-response-stream HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}',
    );
    await setTimeout(300);
    const stopped = made;
    await setTimeout(100);
    expect(made).toBe(stopped);
    expect(made).toBeLessThan(1000);
  });
});

describe('faults', () => {
  const engine: Engine['invoke'] = async () => stream(texts(...Array.from({ length: 9 }, (_, i) => `data: ${i}\n\n`)));

  it.each([plain(), streaming()])('error is a model that failed with 500', async (command) => {
    const { client, fail } = await setUp(engine);
    fail('error');
    const error = await client.send(command as InvokeEndpointCommand).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(ModelError);
    expect(error.OriginalStatusCode).toBe(500);
  });

  it.each([
    ['throttle', 'ThrottlingException', 400],
    ['unavailable', 'ServiceUnavailable', 503],
  ] as const)('%s is thrown as %s and tried again by the client', async (fault, name, httpStatusCode) => {
    const { client, fail } = await setUp(engine, 3);
    fail(fault, 2);
    expect((await client.send(plain())).$metadata.attempts).toBe(3);
    fail(fault, 3);
    const error = await client.send(streaming()).catch((thrown) => thrown);
    expect(error).toMatchObject({ name, $metadata: { attempts: 3, httpStatusCode } });
    expect(error instanceof ServiceUnavailable).toBe(fault === 'unavailable');
  });

  it.each([plain(), streaming()])('hang never responds until the caller gives up', async (command) => {
    const { client, fail } = await setUp(engine);
    fail('hang');
    const call = client.send(command as InvokeEndpointCommand, { abortSignal: AbortSignal.timeout(50) });
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('cut drops a plain call before its reply', async () => {
    const { client, fail } = await setUp(engine);
    fail('cut');
    await expect(client.send(plain())).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it('cut ends a stream inside a frame, after some of its chunks', async () => {
    const { client, fail } = await setUp(engine);
    fail('cut');
    const { Body } = await client.send(streaming());
    let text = '';
    const read = (async () => {
      for await (const event of Body ?? []) text += Buffer.from(event.PayloadPart?.Bytes ?? []).toString();
    })();
    await expect(read).rejects.toBeInstanceOf(Error);
    expect(text).toBe('data: 0\n\ndata: 1\n\ndata: 2\n\n');
  });
});

describe('splitting', () => {
  it('loses no byte, makes no empty part and no more than five', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(), (bytes, turn) => {
        const split = splitAwkwardly(bytes, turn);
        expect(Buffer.concat(split)).toEqual(Buffer.from(bytes));
        expect(split.length).toBeLessThanOrEqual(5);
        expect(split.every((part) => part.length > 0)).toBe(true);
      }),
    );
  });

  it('cuts inside `data:`, inside the text, inside a character and inside the blank line, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), fc.nat(), (text, turn) => {
        const bytes = Buffer.from(`data: ${JSON.stringify({ id: 'x', content: text })}\n\n`);
        const split = splitAwkwardly(bytes, turn);
        expect('data:'.startsWith(Buffer.from(split[0] ?? []).toString())).toBe(true);
        const edges = split.map((_, index) => Buffer.concat(split.slice(0, index)).length);
        const inside = bytes.findIndex((byte) => byte >= 0x80 && byte < 0xc0);
        const wanted = [bytes.lastIndexOf('":"') + 3, bytes.length - 1, inside].filter((edge) => edge >= 0);
        expect(edges).toEqual(expect.arrayContaining(wanted));
      }),
    );
  });
});
