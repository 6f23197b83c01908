import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { sagemakerClient } from '#aws/clients.ts';
import { Deadline } from '#gateways/sagemaker/deadline.ts';
import { sdkRuntime } from '#gateways/sagemaker/sdk-runtime.ts';
import { payloadPart } from '#local/sagemaker/reply.ts';
import { resetEnvironment } from '#runtime/process.ts';
import { drawing } from '#test/many.ts';
import {
  begun,
  completion,
  embeddings,
  streamed,
  useHostileModel,
  whole,
  wholeReply,
} from '#test/models/hostile/hostile-calls.ts';
import { flood, type Misdeed } from '#test/models/hostile/hostile-runtime.ts';

const running = useHostileModel();
const { resultsOf } = running;
const draw = drawing();

/** The connection of a response, for raw chunks. */
function inBytes(res: ServerResponse): Socket {
  begun({ 'transfer-encoding': 'chunked' })(res).flushHeaders();
  return res.socket!;
}

describe('a whole response', () => {
  const endless: [string, Misdeed][] = [
    ['that never ends', (res) => flood(begun({}, '{"choices":[{"text":"')(res), 'x'.repeat(65_536))],
    ['that declares 4 GB', (res) => flood(begun({ 'content-length': 2 ** 32 })(res), ' '.repeat(65_536))],
    ['that never ends, a byte at a time', (res) => flood(inBytes(res), '1\r\nx\r\n'.repeat(1000))],
    [
      'that is an error without an end',
      (res) => flood(begun({ 'x-amzn-errortype': 'ModelError' }, '{', 424)(res), 'x'.repeat(65_536)),
    ],
    ['that is a failure without an end', (res) => flood(begun({}, '', 503)(res), 'x'.repeat(65_536))],
  ];
  describe.each(endless)('%s', (_, misdeed) => {
    it.each(draw(whole, 2))('costs no credits and little memory: 10 of %s concurrently', async (_kind, path, body) => {
      running.model.becomes(misdeed);
      const { statuses, cost, grownMb } = await resultsOf(path, body, 10);
      expect([statuses.every((status) => status >= 502), cost]).toEqual([true, 0]);
      expect(grownMb).toBeLessThan(128);
    });
  });

  const wrong: [string, Misdeed, number][] = [
    ['has a choice of nothing', (res) => begun({})(res).end('{"choices":[{"text":"","message":{}}]}'), 502],
    ['is packed', (res) => begun({ 'content-encoding': 'gzip' })(res).end(gzipSync(wholeReply)), 502],
    ['declares that it is packed', (res) => begun({ 'content-encoding': 'gzip' })(res).end('{}'), 502],
    ['has a large head', (res) => begun({ 'x-padding': 'x'.repeat(20_000) })(res).end(wholeReply), 502],
    [
      'has many headers',
      (res) => begun(Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`x-${n}`, 'y'])))(res).end(wholeReply),
      502,
    ],
    ['redirects', (res) => begun({ location: `${running.trap.url}/` }, '', 307)(res).end(), 502],
  ];
  describe.each(wrong)('that %s', (_, misdeed, status) => {
    it.each(draw(whole, 2))('costs nothing: %s', async (_kind, path, body) => {
      running.model.becomes(misdeed);
      const { statuses, cost } = await resultsOf(path, body, 1);
      expect([statuses, cost, running.trap.requests()]).toEqual([[status], 0, 0]);
    });
  });

  it.each(whole.slice(0, 4))(
    'with more choices and calls than requested is cut to the requested ones: %s',
    async (_kind, path, body) => {
      const call = { id: 'c', function: { name: 'f', arguments: '{}' } };
      const choice = {
        text: 'x',
        message: { content: 'x', tool_calls: Array.from({ length: 1000 }, () => call) },
        finish_reason: 'stop',
      };
      const text = JSON.stringify({ choices: Array.from({ length: 10 }, () => choice) });
      running.model.becomes((res) => begun({})(res).end(text));
      const offers = path.startsWith('/anthropic')
        ? { tools: [{ name: 'f', input_schema: {} }] }
        : { functions: [{ name: 'f' }] };
      const functions = path === '/v1/completions' ? {} : offers;
      const { statuses, texts } = await resultsOf(path, { ...body, ...functions }, 1);
      expect(statuses).toEqual([200]);
      expect(texts[0]!.length).toBeLessThan(128 * 200);
    },
  );

  it.each([200, 424])(
    'with status %i is refused above the size limit, even if it is read by the SDK',
    async (status) => {
      running.model.becomes((res) => flood(begun({}, '', status)(res), 'x'.repeat(65_536)));
      const runtime = sdkRuntime(sagemakerClient());
      const send = runtime.reply({ place: { kind: 'sagemaker', endpoint: 'svc-1' }, body: {}, maxBytes: 1000 });
      await expect(send(new Deadline(60_000))).rejects.toThrow('the body of the response has more than');
    },
  );

  it('with a context error of many words is parsed within a second, and truncated in the response', async () => {
    const words = 'maximum context length is 1 tokens '.repeat(20_000);
    const body = { Message: 'm', OriginalStatusCode: 400, OriginalMessage: JSON.stringify({ error: words }) };
    running.model.becomes((res) => begun({ 'x-amzn-errortype': 'ModelError' }, '', 424)(res).end(JSON.stringify(body)));
    const before = process.cpuUsage();
    const { statuses, texts } = await resultsOf('/v1/completions', completion, 1);
    expect([statuses, texts[0]!.length < 1000]).toEqual([[400], true]);
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(1000);
  });
});

describe('vectors', () => {
  const reply = (vectors: string) => (res: ServerResponse) => begun({})(res).end(`{"data":[${vectors}]}`);
  const vector = (index: number | string, embedding = '[1,2]') => `{"index":${index},"embedding":${embedding}}`;
  const wrong: [string, string][] = [
    ['too few', vector(0)],
    ['too many', [0, 1, 2].map((index) => vector(index)).join()],
    ['one index twice', vector(0) + ',' + vector(0)],
    ['an index beyond', vector(0) + ',' + vector(2)],
    ['an index of no integer', vector(0) + ',' + vector(0.5)],
    ['a negative index', vector(-1) + ',' + vector(0)],
    ['lengths that differ', `${vector(0)},${vector(1, '[1]')}`],
    ['zeros', `${vector(0, '[0,0]')},${vector(1)}`],
    ['numbers that are 0 in 32 bits', `${vector(0, '[1e-60,0]')},${vector(1)}`],
    ['no numbers', `${vector(0, '[]')},${vector(1, '[]')}`],
    ['a number beyond all', `${vector(0, '[1e400,1]')},${vector(1)}`],
    ['a number beyond 32 bits', `${vector(0, '[1e39,1]')},${vector(1)}`],
    ['null', `${vector(0, '[null,1]')},${vector(1)}`],
    ['NaN', `${vector(0, '[NaN,1]')},${vector(1)}`],
    ['text', `${vector(0, '["1","2"]')},${vector(1)}`],
  ];
  it.each(wrong)('with %s from the model return an uncharged 502', async (_, vectors) => {
    running.model.becomes(reply(vectors));
    for (const encoding_format of ['float', 'base64']) {
      const { statuses, cost } = await resultsOf('/v1/embeddings', { ...embeddings, encoding_format }, 1);
      expect([statuses, cost]).toEqual([[502], 0]);
    }
  });

  it('are returned in the order of the texts, in whatever order they arrive', async () => {
    running.model.becomes(reply(`${vector(1, '[2]')},${vector(0, '[1]')}`));
    const { texts } = await resultsOf('/v1/embeddings', embeddings, 1);
    expect(JSON.parse(texts[0]!).data.data.map(({ embedding }: any) => embedding)).toEqual([[1], [2]]);
  });
});

describe('a slow model', () => {
  beforeAll(() => {
    process.env['MODEL_DEADLINE_MS'] = '1000';
    resetEnvironment();
  });

  async function trickle(res: ServerResponse, bytes: string | Uint8Array): Promise<void> {
    for (; !res.destroyed; await sleep(50)) res.write(bytes);
  }
  const slow: [string, Misdeed][] = [
    ['has no end after its last byte', (res) => begun({ 'transfer-encoding': 'chunked' }, wholeReply)(res)],
    ['trickles', (res) => trickle(begun({})(res), ' ')],
    ['trickles its frames', (res) => trickle(begun({})(res), payloadPart(Buffer.from(':')))],
  ];
  describe.each(slow)('that %s', (name, misdeed) => {
    const framed = name.includes('frames');
    it.each<readonly [string, string, object]>(framed ? draw(streamed, 2) : draw(whole, 2))(
      'returns an uncharged 504: %s',
      async (_, path, body) => {
        running.model.becomes(misdeed);
        const { statuses, cost } = await resultsOf(path, body, 1);
        expect([statuses, cost]).toEqual([[504], 0]);
      },
    );
  });
});
