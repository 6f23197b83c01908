import { InvokeEndpointCommand, ModelError, ValidationError } from '@aws-sdk/client-sagemaker-runtime';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EngineReply } from '#local/sagemaker/engine.ts';
import { splitAdversarially } from '#local/sagemaker/reply.ts';
import { plain, stream, streaming, texts, useSageMaker } from '#test/models/sagemaker-calls.ts';

const { setUp } = useSageMaker();

const json = (body: unknown, status = 200): EngineReply => ({ kind: 'json', status, body });

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

  it('refuse an unknown endpoint without calling the engine', async () => {
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

describe('splitting', () => {
  it('loses no byte, makes no empty part and no more than five', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(), (bytes, turn) => {
        const split = splitAdversarially(bytes, turn);
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
        const split = splitAdversarially(bytes, turn);
        expect('data:'.startsWith(Buffer.from(split[0] ?? []).toString())).toBe(true);
        const edges = split.map((_, index) => Buffer.concat(split.slice(0, index)).length);
        const inside = bytes.findIndex((byte) => byte >= 0x80 && byte < 0xc0);
        const wanted = [bytes.lastIndexOf('":"') + 3, bytes.length - 1, inside].filter((edge) => edge >= 0);
        expect(edges).toEqual(expect.arrayContaining(wanted));
      }),
    );
  });
});
