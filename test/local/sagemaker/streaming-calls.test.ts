import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { ModelStreamError, SageMakerRuntimeClient } from '@aws-sdk/client-sagemaker-runtime';
import { describe, expect, it } from 'vitest';
import { stream, streaming, texts, useSageMaker } from '#test/models/sagemaker-calls.ts';

const { ends, setUp } = useSageMaker();

async function parts(client: SageMakerRuntimeClient): Promise<Buffer[]> {
  const { Body } = await client.send(streaming());
  const all: Buffer[] = [];
  for await (const event of Body ?? []) all.push(Buffer.from(event.PayloadPart?.Bytes ?? []));
  return all;
}

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
      `POST /endpoints/svc-1/invocations-response-stream HTTP/1.1\r\nhost: ${new URL(server.url).host}\r\ncontent-length: 2\r\n\r\n{}`,
    );
    await expect.poll(() => made).toBeGreaterThan(1);
    let before: number;
    do {
      before = made;
      await setTimeout(100);
    } while (made !== before);
    expect(made).toBeLessThan(1000);
  });
});
