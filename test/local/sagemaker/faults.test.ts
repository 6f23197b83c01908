import { InvokeEndpointCommand, ModelError, ServiceUnavailable } from '@aws-sdk/client-sagemaker-runtime';
import { describe, expect, it } from 'vitest';
import type { Engine } from '#local/sagemaker/engine.ts';
import { plain, stream, streaming, texts, useSageMaker } from '#test/models/sagemaker-calls.ts';

const { setUp } = useSageMaker();

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
