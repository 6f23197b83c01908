import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import {
  InvokeEndpointCommand,
  ModelError,
  ModelStreamError,
  SageMakerRuntimeClient,
  ServiceUnavailable,
  ValidationError,
} from '@aws-sdk/client-sagemaker-runtime';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Engine, EngineReply } from '#local/sagemaker/engine.ts';
import { splitAdversarially } from '#local/sagemaker/reply.ts';
import { plain, stream, streaming, texts, useSageMaker } from '#test/models/sagemaker-calls.ts';

const { ends, setUp } = useSageMaker();

const json = (body: unknown, status = 200): EngineReply => ({ kind: 'json', status, body });
const failing = (message: string) => () => Promise.reject(new Error(message));
const bothWays = [plain(), streaming()] as InvokeEndpointCommand[];

/** Reads a stream; `text` is what came before its end or error. */
async function readStream(client: SageMakerRuntimeClient, onText: (text: string) => void = () => undefined) {
  const { Body, ContentType } = await client.send(streaming());
  const parts: Buffer[] = [];
  const text = () => Buffer.concat(parts).toString();
  const read = async () => {
    for await (const event of Body ?? []) {
      parts.push(Buffer.from(event.PayloadPart?.Bytes ?? []));
      onText(text());
    }
  };
  const error: unknown = await read().catch((thrown: unknown) => thrown);
  return { ContentType, parts, text: text(), error };
}

describe('an invocation', () => {
  it('passes the parsed body to the engine and returns its reply with the headers of the service', async () => {
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
      $metadata: { requestId: expect.stringMatching(/^[\w-]{36}$/) },
    });
    expect(bodies).toEqual([{ prompt: 'hi' }]);
  });

  it('of an unknown endpoint or above 25 MB is refused without the engine', async () => {
    const { client } = await setUp(failing('invoked'));
    await expect(client.send(plain({ EndpointName: 'other' }))).rejects.toBeInstanceOf(ValidationError);
    await expect(client.send(streaming({ EndpointName: 'other' }))).rejects.toBeInstanceOf(ValidationError);
    const large = client.send(plain({ Body: Buffer.alloc(25 * 1024 * 1024 + 1, 'x') }));
    await expect(large).rejects.toMatchObject({ name: 'ValidationError', $metadata: { httpStatusCode: 413 } });
  });

  it.each(bothWays)('wraps an error of the container in a ModelError, unchanged', async (command) => {
    const refused = { error: { message: 'too "long"', code: 400 } };
    const { client } = await setUp(async () => json(refused, 400));
    const error = await client.send(command).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(ModelError);
    expect(error).toMatchObject({ OriginalStatusCode: 400, $metadata: { httpStatusCode: 424 } });
    expect(JSON.parse(error.OriginalMessage)).toEqual(refused);
  });

  it("returns the container's 400 if its body is not JSON, and InternalFailure if the engine crashes", async () => {
    const { client } = await setUp(failing('crashed'));
    await expect(client.send(plain({ Body: '{"prompt":' }))).rejects.toMatchObject({ OriginalStatusCode: 400 });
    await expect(client.send(plain())).rejects.toMatchObject({ name: 'InternalFailure' });
  });

  it('aborts the engine when the client disconnects', async () => {
    const aborted = Promise.withResolvers<void>();
    const caller = new AbortController();
    const { client } = await setUp(async (_, signal) => {
      signal.addEventListener('abort', () => aborted.resolve());
      caller.abort();
      await aborted.promise;
      return json({});
    });
    await expect(client.send(plain(), { abortSignal: caller.signal })).rejects.toMatchObject({ name: 'AbortError' });
    await aborted.promise;
  });
});

describe('a streaming invocation', () => {
  it('splits the stream at awkward places, the same ones each time, without changing its bytes', async () => {
    const sent = ['data: {"delta":"Zürich"}\n\n', 'data: {"delta":"日本 🎉"}\n\n', 'data: [DONE]\n\n'];
    const { client } = await setUp(async () => stream(texts(...sent)));
    const { ContentType, parts, text } = await readStream(client);
    expect([ContentType, text]).toEqual(['text/event-stream', sent.join('')]);
    expect(parts.some((part) => part.toString().includes('\ufffd'))).toBe(true);
    expect(parts.length).toBeGreaterThan(2 * sent.length);
    expect((await readStream(client)).parts).toEqual(parts);
  });

  it('throws ModelStreamError after the output so far if the engine fails', async () => {
    async function* chunks() {
      yield Buffer.from('data: one\n\n');
      throw new Error('out of memory');
    }
    const { client } = await setUp(async () => stream(chunks()));
    const { error, text } = await readStream(client);
    expect(error).toBeInstanceOf(ModelStreamError);
    expect(error).toMatchObject({ ErrorCode: 'StreamBroken', message: expect.stringContaining('out of memory') });
    expect(text).toBe('data: one\n\n');
  });

  it('ends the engine when the client disconnects', async () => {
    const ended = Promise.withResolvers<boolean>();
    const { client } = await setUp(async (_, signal) => {
      async function* chunks() {
        try {
          for (;;) {
            yield Buffer.from('data: on and on\n\n');
            await setTimeout(1, undefined, { signal });
          }
        } finally {
          ended.resolve(signal.aborted);
        }
      }
      return stream(chunks());
    });
    const aborter = new AbortController();
    const { Body } = await client.send(streaming(), { abortSignal: aborter.signal });
    const read = (async () => {
      for await (const _ of Body ?? []) aborter.abort();
    })();
    await expect(read).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(await ended.promise).toBe(true);
  });

  it('pauses the engine while the client does not read', async () => {
    let made = 0;
    async function* chunks() {
      for (; made < 2000; made += 1) yield Buffer.alloc(64 * 1024, 'x');
    }
    const { server } = await setUp(async () => stream(chunks()));
    const socket = connect(server.port, '127.0.0.1');
    ends.push(() => socket.destroy());
    socket.pause();
    const head = `host: ${new URL(server.url).host}\r\ncontent-length: 2`;
    socket.write(`POST /endpoints/svc-1/invocations-response-stream HTTP/1.1\r\n${head}\r\n\r\n{}`);
    await expect.poll(() => made).toBeGreaterThan(1);
    let before: number;
    do {
      before = made;
      await setTimeout(100);
    } while (made !== before);
    expect(made).toBeLessThan(1000);
  });
});

describe('the parts of a stream', () => {
  it('end inside `data:`, inside the text, inside a character, and inside the blank line', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), fc.nat(), (text, turn) => {
        const bytes = Buffer.from(`data: ${JSON.stringify({ id: 'x', content: text })}\n\n`);
        const split = splitAdversarially(bytes, turn);
        expect(Buffer.concat(split)).toEqual(bytes);
        expect(split.every((part) => part.length > 0) && split.length <= 5).toBe(true);
        expect('data:'.startsWith(Buffer.from(split[0] ?? []).toString())).toBe(true);
        const edges = split.map((_, index) => Buffer.concat(split.slice(0, index)).length);
        const inside = bytes.findIndex((byte) => byte >= 0x80 && byte < 0xc0);
        const wanted = [bytes.lastIndexOf('":"') + 3, bytes.length - 1, inside].filter((edge) => edge >= 0);
        expect(edges).toEqual(expect.arrayContaining(wanted));
      }),
    );
  });
});

describe('a fault', () => {
  const engine: Engine['invoke'] = async () => stream(texts(...Array.from({ length: 9 }, (_, i) => `data: ${i}\n\n`)));

  it.each(bothWays)('“error” is a ModelError with status 500, and “hang” never responds', async (command) => {
    const { client, fail } = await setUp(engine);
    fail('error');
    const error = await client.send(command).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(ModelError);
    expect(error.OriginalStatusCode).toBe(500);
    fail('hang');
    const call = client.send(command, { abortSignal: AbortSignal.timeout(50) });
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
  });

  it.each([
    ['throttle', 'ThrottlingException', 400],
    ['unavailable', 'ServiceUnavailable', 503],
  ] as const)('“%s” is thrown as %s, and is retried by the client', async (fault, name, httpStatusCode) => {
    const { client, fail } = await setUp(engine, 3);
    fail(fault, 2);
    expect((await client.send(plain())).$metadata.attempts).toBe(3);
    fail(fault, 3);
    const error = await client.send(streaming()).catch((thrown) => thrown);
    expect(error).toMatchObject({ name, $metadata: { attempts: 3, httpStatusCode } });
    expect(error instanceof ServiceUnavailable).toBe(fault === 'unavailable');
  });

  it('“cut” drops a reply, and ends a stream inside a frame after some chunks', async () => {
    const { client, fail } = await setUp(engine);
    fail('cut');
    await expect(client.send(plain())).rejects.toMatchObject({ code: 'ECONNRESET' });
    fail('cut');
    const { error, text } = await readStream(client);
    expect(error).toBeInstanceOf(Error);
    expect(text).toBe('data: 0\n\ndata: 1\n\ndata: 2\n\n');
  });
});
