import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Readable, type Writable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import middy from '@middy/core';
import { executionModeStreamifyResponse } from '@middy/core/StreamifyResponse';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import type { LambdaHandler } from '#local/gateway/lambda.ts';
import { envelopeOf, useFrontServer } from '#test/service/front-server.ts';

const front = useFrontServer();
const { send, call } = front;
type Stream = (event: APIGatewayProxyEvent, stream: Writable, context: Context) => Promise<void>;
const streamed = (handle: Stream) => (globalThis as any).awslambda.streamifyResponse(handle) as LambdaHandler;
const withHead = (stream: Writable, head: object): Writable =>
  (globalThis as any).awslambda.HttpResponseStream.from(stream, head);

describe('streamed responses', () => {
  const head = { statusCode: 200, headers: { 'Content-Type': 'text/event-stream' }, cookies: ['a=1'] };

  const middyOf = (result: () => object) =>
    middy({ executionMode: executionModeStreamifyResponse } as any).handler(
      async () => result() as any,
    ) as unknown as LambdaHandler;
  async function responseTo(request: ReturnType<typeof send>): Promise<IncomingMessage> {
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return response;
  }

  test('send the head before the first byte, and every chunk immediately', async () => {
    const gates = [1, 2, 3].map(() => Promise.withResolvers<void>());
    async function* words() {
      for (const [index, gate] of gates.entries()) {
        await gate.promise;
        yield `word ${index}`;
      }
    }
    front.handlers['echo'] = middyOf(() => ({ ...head, body: Readable.from(words()) }));
    const response = await responseTo(send('POST', '/api/echo'));
    expect(response.headers).toMatchObject({ 'content-type': 'text/event-stream', 'set-cookie': ['a=1'] });
    for (const [index, gate] of gates.entries()) {
      gate.resolve();
      expect(String(await once(response, 'data'))).toBe(`word ${index}`);
    }
    expect(await text(response)).toBe('');
  });

  test('may have a string as their body', async () => {
    front.handlers['echo'] = middyOf(() => ({ statusCode: 401, body: `{"big":"${'x'.repeat(100_000)}"}` }));
    const { status, body } = await call('POST', '/api/echo');
    expect(status).toBe(401);
    expect(envelopeOf(body).big).toHaveLength(100_000);
  });

  test('may exceed the 6 MB limit of a buffered response', async () => {
    front.handlers['echo'] = streamed(async (_event, stream) => {
      await pipeline(Readable.from([Buffer.alloc(7_000_000)]), withHead(stream, head));
    });
    expect((await call('POST', '/api/echo')).body.length).toBe(7_000_000);
  });

  test('slow the writer down to the pace of the reader', async () => {
    let written = 0;
    const chunk = Buffer.alloc(64 * 1024);
    front.handlers['echo'] = streamed(async (_event, stream) => {
      async function* endless() {
        for (; written < 2000; written += 1) yield chunk;
      }
      await pipeline(Readable.from(endless()), withHead(stream, head));
    });
    const response = await responseTo(send('POST', '/api/echo'));
    await expect.poll(() => written).toBeGreaterThan(1);
    let before: number;
    do {
      before = written;
      await sleep(200);
    } while (written !== before);
    expect(written).toBeLessThan(1000);
    expect((await buffer(response)).length).toBe(2000 * chunk.length);
  });

  test('end their handler with an error when the client disconnects', async () => {
    const ended = Promise.withResolvers<unknown>();
    front.handlers['echo'] = streamed(async (_event, stream) => {
      async function* endless() {
        for (;;) {
          yield 'word ';
          await sleep(5);
        }
      }
      await pipeline(Readable.from(endless()), withHead(stream, head)).then(ended.resolve, ended.resolve);
    });
    const request = send('POST', '/api/echo');
    const response = await responseTo(request);
    await once(response, 'data');
    request.destroy();
    expect(await ended.promise).toMatchObject({ code: 'ERR_STREAM_PREMATURE_CLOSE' });
    expect(front.log).toEqual([]);
  });

  test('end when a client that does not read disconnects', async () => {
    const ended = Promise.withResolvers<unknown>();
    front.handlers['echo'] = streamed(async (_event, stream) => {
      const endless = Readable.from(
        (function* () {
          for (;;) yield Buffer.alloc(65_536);
        })(),
      );
      await pipeline(endless, withHead(stream, head)).then(ended.resolve, ended.resolve);
    });
    const request = send('POST', '/api/echo');
    await once(request, 'response');
    await sleep(100);
    request.destroy();
    expect(await ended.promise).toBeInstanceOf(Error);
  });

  test('are cut off if the handler fails after they began', async () => {
    front.handlers['echo'] = streamed(async (_event, stream) => {
      const out = withHead(stream, head);
      out.write('half');
      await sleep(20);
      throw new Error('model gone');
    });
    const response = await responseTo(send('POST', '/api/echo'));
    await expect(text(response)).rejects.toThrow(/aborted/);
    expect(front.log.join()).toContain('model gone');
  });

  test('without a head are replaced by an enveloped 500', async () => {
    front.handlers['echo'] = streamed(async (_event, stream) => void stream.end('x'));
    expect(envelopeOf((await call('POST', '/api/echo')).body)).toMatchObject({ message: 'INTERNAL_ERROR' });
  });
});
