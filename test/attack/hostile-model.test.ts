import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { crc32, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Deadline } from '#gateways/sagemaker/deadline.ts';
import { sdkRuntime } from '#gateways/sagemaker/sdk-runtime.ts';
import { payloadPart } from '#local/sagemaker/event-frames.ts';
import { sagemakerClient } from '#runtime/clients.ts';
import { resetEnvironment } from '#runtime/per-environment.ts';
import { flood, type Misdeed, startHostileRuntime, streamFlood, streamOf } from '#test/hostile-runtime.ts';
import { contentOf, type ScriptedService, startScriptedService, tokensOf } from '#test/scripted-service.ts';

let model: Awaited<ReturnType<typeof startHostileRuntime>>;
let trap: Awaited<ReturnType<typeof startHostileRuntime>>;
let service: ScriptedService;
beforeAll(async () => {
  model = await startHostileRuntime();
  trap = await startHostileRuntime();
  // On a busy machine a bound of bytes is still met long before one of time.
  service = await startScriptedService({ families: {}, url: model.url, deadlineMs: 20_000 });
  // The first failure loads the SDK, which is no memory of the response.
  model.becomes((res) => begun({}, '', 503)(res).end());
  await (await service.open('/v1/chat/completions', chat)).text();
});
afterAll(async () => {
  await service.close();
  await Promise.all([model.close(), trap.close()]);
});

const prompt = 'Say it';
const chat = { model: 'svc-1', messages: [{ role: 'user', content: prompt }], max_tokens: 50 };
const completion = { model: 'svc-1', prompt, max_tokens: 50 };
const embeddings = { model: 'svc-embed', input: ['one', 'two'] };

const whole = [
  ['a chat', '/v1/chat/completions', chat],
  ["a chat of OpenAI's format", '/openai/v1/chat/completions', chat],
  ['a completion', '/v1/completions', completion],
  ['embeddings', '/v1/embeddings', embeddings],
] as const;

const streamed = [
  ['a chat', '/v1/chat/completions', { ...chat, stream: true }],
  ["a chat of OpenAI's format", '/openai/v1/chat/completions', { ...chat, stream: true }],
  ['a completion', '/v1/completions', { ...completion, stream: true }],
  ["a completion of OpenAI's format", '/openai/v1/completions', { ...completion, stream: true }],
] as const;

/** The statuses of some calls at once, what they cost, and the MB by which the process grew while they ran. */
async function asked(path: string, body: object, calls: number) {
  const statuses: number[] = [];
  const texts: string[] = [];
  const before = process.memoryUsage.rss();
  let peak = before;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 5);
  const cost = await service.charged(() =>
    Promise.all(
      Array.from({ length: calls }, async () => {
        const reply = await service.open(path, body);
        statuses.push(reply.status);
        texts.push(await reply.text());
      }),
    ),
  );
  clearInterval(watch);
  return { statuses: [...new Set(statuses)], texts, cost, grownMb: (peak - before) / 1024 / 1024 };
}

const json = { 'content-type': 'application/json' };
const begun = (head: object, text = '', status = 200) =>
  function begin(res: ServerResponse) {
    res.writeHead(status, { ...json, ...head });
    if (text) res.write(text);
    return res;
  };
const said = JSON.stringify({ choices: [{ text: 'x', message: { content: 'x' }, finish_reason: 'stop' }] });

/** The connection of a response, for chunks as they are on the wire. */
function inBytes(res: ServerResponse): Socket {
  begun({ 'transfer-encoding': 'chunked' })(res).flushHeaders();
  return res.socket!;
}

describe('a whole response', () => {
  const endless: [string, Misdeed][] = [
    ['that never ends', (res) => flood(begun({}, '{"choices":[{"text":"')(res), 'x'.repeat(65_536))],
    ['that says it has 4 GB', (res) => flood(begun({ 'content-length': 2 ** 32 })(res), ' '.repeat(65_536))],
    ['that never ends, a byte at a time', (res) => flood(inBytes(res), '1\r\nx\r\n'.repeat(1000))],
    [
      'that is an error without an end',
      (res) => flood(begun({ 'x-amzn-errortype': 'ModelError' }, '{', 424)(res), 'x'.repeat(65_536)),
    ],
    ['that is a failure without an end', (res) => flood(begun({}, '', 503)(res), 'x'.repeat(65_536))],
  ];
  describe.each(endless)('%s', (_, misdeed) => {
    it.each(whole)('costs nothing and no memory: 10 of %s at once', async (_kind, path, body) => {
      model.becomes(misdeed);
      const { statuses, cost, grownMb } = await asked(path, body, 10);
      expect([statuses.every((status) => status >= 502), cost]).toEqual([true, 0]);
      expect(grownMb).toBeLessThan(64);
    });
  });

  const wrong: [string, Misdeed, number][] = [
    ['is empty', (res) => res.writeHead(200).end(), 502],
    ['has no choices', (res) => begun({})(res).end('{"choices":[],"data":[]}'), 502],
    ['has a choice of nothing', (res) => begun({})(res).end('{"choices":[{"text":"","message":{}}]}'), 502],
    ['is packed', (res) => begun({ 'content-encoding': 'gzip' })(res).end(gzipSync(said)), 502],
    ['says it is packed', (res) => begun({ 'content-encoding': 'gzip' })(res).end('{}'), 502],
    ['is not UTF-8', (res) => begun({})(res).end(Buffer.of(0xff, 0xfe, 0x7b)), 502],
    ['is nested deeply', (res) => begun({})(res).end(`${'['.repeat(200_000)}${']'.repeat(200_000)}`), 502],
    [
      'has calls nested deeply',
      (res) => begun({})(res).end(`{"choices":${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}}`),
      502,
    ],
    ['has a large head', (res) => begun({ 'x-padding': 'x'.repeat(20_000) })(res).end(said), 502],
    [
      'has many headers',
      (res) => begun(Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`x-${n}`, 'y'])))(res).end(said),
      502,
    ],
    ['redirects', (res) => begun({ location: `${trap.url}/` }, '', 307)(res).end(), 502],
  ];
  describe.each(wrong)('that %s', (_, misdeed, status) => {
    it.each(whole)('costs nothing: %s', async (_kind, path, body) => {
      model.becomes(misdeed);
      const { statuses, cost } = await asked(path, body, 1);
      expect([statuses, cost, trap.requests()]).toEqual([[status], 0, 0]);
    });
  });

  it.each(whole.slice(0, 3))(
    'of many choices and calls is answered with what was asked for: %s',
    async (_kind, path, body) => {
      const call = { id: 'c', function: { name: 'f', arguments: '{}' } };
      const choice = {
        text: 'x',
        message: { content: 'x', tool_calls: Array.from({ length: 1000 }, () => call) },
        finish_reason: 'stop',
      };
      const text = JSON.stringify({ choices: Array.from({ length: 10 }, () => choice) });
      model.becomes((res) => begun({})(res).end(text));
      const { statuses, texts } = await asked(path, body, 1);
      expect(statuses).toEqual([200]);
      expect(texts[0]!.length).toBeLessThan(128 * 200);
    },
  );

  it.each([200, 424])('with status %i is bounded too where the SDK reads it all by itself', async (status) => {
    model.becomes((res) => flood(begun({}, '', status)(res), 'x'.repeat(65_536)));
    const runtime = sdkRuntime(sagemakerClient());
    const send = runtime.reply({ endpoint: 'svc-1', body: {}, maxBytes: 1000 });
    await expect(send(new Deadline(60_000))).rejects.toThrow('the body of the response has more than');
  });

  it('tells of its context in words that are looked at no further than they can matter', async () => {
    const words = 'maximum context length is 1 tokens '.repeat(20_000);
    const body = { Message: 'm', OriginalStatusCode: 400, OriginalMessage: JSON.stringify({ error: words }) };
    model.becomes((res) => begun({ 'x-amzn-errortype': 'ModelError' }, '', 424)(res).end(JSON.stringify(body)));
    const before = process.cpuUsage();
    const { statuses, texts } = await asked('/v1/completions', completion, 1);
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
    ['no numbers', `${vector(0, '[]')},${vector(1, '[]')}`],
    ['a number beyond all', `${vector(0, '[1e400,1]')},${vector(1)}`],
    ['a number beyond 32 bits', `${vector(0, '[1e39,1]')},${vector(1)}`],
    ['null', `${vector(0, '[null,1]')},${vector(1)}`],
    ['NaN', `${vector(0, '[NaN,1]')},${vector(1)}`],
    ['text', `${vector(0, '["1","2"]')},${vector(1)}`],
  ];
  it.each(wrong)('of which the model gives %s are an invalid response, and cost nothing', async (_, vectors) => {
    model.becomes(reply(vectors));
    for (const encoding_format of ['float', 'base64']) {
      const { statuses, cost } = await asked('/v1/embeddings', { ...embeddings, encoding_format }, 1);
      expect([statuses, cost]).toEqual([[502], 0]);
    }
  });

  it('may come in any order', async () => {
    model.becomes(reply(`${vector(1, '[2]')},${vector(0, '[1]')}`));
    const { texts } = await asked('/v1/embeddings', embeddings, 1);
    expect(JSON.parse(texts[0]!).data.data.map(({ embedding }: any) => embedding)).toEqual([[1], [2]]);
  });
});

/** A message of an event stream that says it is so long, with a right checksum. */
function declared(length: number): Buffer {
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(length, 0);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  return prelude;
}

const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const role = event({ choices: [{ index: 0, delta: { role: 'assistant', content: '' }, text: '' }] });
const framed = (length: number) => (res: ServerResponse) =>
  flood(
    begun({ 'content-type': 'application/vnd.amazon.eventstream' }, declared(length) as never)(res),
    Buffer.alloc(65_536),
  );

describe('a stream', () => {
  const endless: [string, Misdeed][] = [
    ['of comments', streamFlood(': ping\n\n'.repeat(100))],
    ['of empty lines', streamFlood('\n'.repeat(10_000))],
    ['of empty events', streamFlood('data: {}\n'.repeat(1000))],
    ['of roles', streamFlood(role)],
    ['of a line without an end', streamFlood('x'.repeat(10_000), 'data: {"a":"')],
    ['of a line without an end, a byte at a time', streamFlood('x', 'data: {"a":"')],
    ['of frames without bytes', streamFlood('')],
    ['of other frames', (res) => flood(begun({})(res), Buffer.from(payloadPart(Buffer.from('x'))).fill(0, 12, 20))],
    ['of a frame of 4 GB', framed(2 ** 32 - 1)],
    ['of a frame of 64 MB', framed(2 ** 26)],
    ['of no frames', (res) => flood(begun({})(res), 'x'.repeat(65_536))],
    ['of calls without a name', streamFlood(event({ choices: [{ index: 0, delta: { tool_calls: [] } }] }))],
  ];
  describe.each(endless)('%s and no text', (_, misdeed) => {
    it.each(streamed)('costs nothing and no memory: 10 of %s at once', async (_kind, path, body) => {
      model.becomes(misdeed);
      const { statuses, cost, grownMb } = await asked(path, body, 10);
      expect([statuses, cost]).toEqual([[502], 0]);
      expect(grownMb).toBeLessThan(64);
    });
  });

  const choice = (text: string): string => event({ choices: [{ index: 0, text, delta: { content: text } }] });
  const callWith = (index: number, text: string): string =>
    event({ choices: [{ index: 0, delta: { tool_calls: [{ index, function: { name: 'f', arguments: text } }] } }] });

  const overlong: [string, string][] = [
    ['words', choice(' word')],
    ['letters', choice('x')],
    ['spaces', choice(' '.repeat(200))],
    ['signs of another script', choice('語'.repeat(50))],
    ['large pieces', choice(' word'.repeat(10_000))],
    ['many pieces in a part', choice(' word').repeat(300)],
  ];
  describe.each(overlong)('of %s past its max_tokens', (_, part) => {
    it.each(streamed)('is ended as too long, for no more than was asked for: %s', async (kind, path, body) => {
      model.becomes(streamFlood(part));
      const { statuses, texts, cost, grownMb } = await asked(path, body, 10);
      expect(statuses).toEqual([200]);
      const isOpenAi = path.startsWith('/openai');
      for (const text of texts) expect(text).toContain(isOpenAi ? '[DONE]' : 'STREAM_COMPLETE');
      const saysWhy = isOpenAi || kind === 'a chat';
      if (saysWhy) for (const text of texts) expect(text).toContain('"finish_reason":"length"');
      const tokens = (await tokensOf(prompt)) + 50;
      expect(cost).toBe(10 * (kind.includes('chat') ? 1_000_000 : tokens * 1000));
      expect(grownMb).toBeLessThan(64);
    });
  });

  it.each([
    ['one call', callWith(0, '{"a":1')],
    ['empty arguments', callWith(0, '')],
    ['as many calls as there are pieces', ''],
  ])('of calls without an end ends: %s', async (_, part) => {
    const many = Array.from({ length: 5000 }, (_, index) => callWith(index, '')).join('');
    model.becomes(part === '' ? streamFlood(many) : streamFlood(part));
    const tools = [{ type: 'function', function: { name: 'f' } }];
    const { statuses, texts, grownMb } = await asked(
      '/openai/v1/chat/completions',
      { ...chat, tools, stream: true },
      10,
    );
    expect([statuses, grownMb < 64]).toEqual([[200], true]);
    for (const text of texts) expect(text.match(/"type":"function"/g)?.length).toBeLessThanOrEqual(128);
  });

  it.each(streamed)(
    'that goes on with roles after its text is a failure, and charged: %s',
    async (kind, path, body) => {
      model.becomes(streamFlood(role, choice('word')));
      const { statuses, texts, cost } = await asked(path, body, 1);
      const tokens = (await tokensOf(prompt)) + (await tokensOf('word'));
      expect([statuses, cost]).toEqual([[200], kind.includes('chat') ? 1_000_000 : tokens * 1000]);
      expect(texts[0]).toMatch(/MODEL_ERROR|model_error|"error":/);
    },
  );

  it.each(streamed)('of [DONE] and nothing is an invalid response, and costs nothing: %s', async (_, path, body) => {
    for (const before of ['', role, ': ping\n\n', event({ choices: [] }), event({ choices: [], usage: null })]) {
      model.becomes(streamOf(`${before}data: [DONE]\n\n`));
      const { statuses, cost } = await asked(path, body, 1);
      expect([before, statuses, cost]).toEqual([before, [502], 0]);
    }
  });

  it.each(streamed)('that redirects is a failure, and leads nowhere: %s', async (_, path, body) => {
    model.becomes((res) => begun({ location: `${trap.url}/` }, '', 302)(res).end());
    const { statuses, cost } = await asked(path, body, 1);
    expect([statuses, cost, trap.requests()]).toEqual([[502], 0, 0]);
  });
});

describe('text of NUL and halves of characters', () => {
  const odd = '\\u0000a\\ud800b\\udc00c\\ud83d\\ude00\\u2028';
  const text = JSON.parse(`"${odd}"`);
  it.each(whole.slice(0, 3))('leaves as JSON in UTF-8: %s', async (_, path, body) => {
    model.becomes((res) =>
      begun({})(res).end(`{"choices":[{"text":"${odd}","message":{"content":"${odd}"},"finish_reason":"stop"}]}`),
    );
    const reply = await service.open(path, body);
    const bytes = new TextDecoder('utf-8', { fatal: true }).decode(await reply.arrayBuffer());
    const { data, choices } = JSON.parse(bytes);
    const [choice] = (data?.choices ?? choices) as any[];
    expect([reply.status, choice.text ?? choice.message.content]).toEqual([200, text]);
  });

  it.each(streamed)('is streamed so, also cut within a character: %s', async (_, path, body) => {
    const pieces = [...odd.matchAll(/\\u....|./g)].map(([piece]) => piece);
    const events = pieces.map((piece) => `data: {"choices":[{"text":"${piece}","delta":{"content":"${piece}"}}]}\n\n`);
    const end = event({ choices: [{ delta: {}, text: '', finish_reason: 'stop' }] });
    model.becomes(streamOf(...events, end, 'data: [DONE]\n\n'));
    const reply = await service.open(path, body);
    const bytes = new TextDecoder('utf-8', { fatal: true }).decode(await reply.arrayBuffer());
    const lines = bytes.split('\n\n').filter((line) => line.startsWith('data: {'));
    const chunks = lines.map((line) => JSON.parse(line.slice('data: '.length)));
    expect(contentOf(chunks.map((chunk) => (chunk.data === undefined ? { data: chunk } : chunk)))).toBe(text);
  });
});

describe('a model that takes its time', () => {
  beforeAll(() => {
    process.env['MODEL_DEADLINE_MS'] = '1000';
    resetEnvironment();
  });

  async function trickle(res: ServerResponse, bytes: string | Uint8Array): Promise<void> {
    for (; !res.destroyed; await sleep(50)) res.write(bytes);
  }
  const slow: [string, Misdeed][] = [
    ['has no end after its last byte', (res) => begun({ 'transfer-encoding': 'chunked' }, said)(res)],
    ['trickles', (res) => trickle(begun({})(res), ' ')],
    ['trickles its frames', (res) => trickle(begun({})(res), payloadPart(Buffer.from(':')))],
  ];
  describe.each(slow)('and %s', (name, misdeed) => {
    const framed = name.includes('frames');
    it.each<readonly [string, string, object]>(framed ? streamed : whole)('is given up: %s', async (_, path, body) => {
      model.becomes(misdeed);
      const { statuses, cost } = await asked(path, body, 1);
      expect([statuses, cost]).toEqual([[504], 0]);
    });
  });
});
