import { describe, expect, it } from 'vitest';
import { formatNameOf } from '#contract/http/format.ts';
import { payloadPart } from '#local/sagemaker/reply.ts';
import { atLength, drawing } from '#test/many.ts';
import { begun, chat, framed, prompt, streamed, useHostileModel, whole } from '#test/models/hostile/hostile-calls.ts';
import { flood, type Misdeed, streamFlood, streamOf } from '#test/models/hostile/hostile-runtime.ts';
import { contentOf, tokensOf } from '#test/service/scripted-service.ts';

const running = useHostileModel();
const { resultsOf } = running;
const draw = drawing();

/** The number of concurrent runs. */
const calls = atLength(4, 10);

const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const role = event({ choices: [{ index: 0, delta: { role: 'assistant', content: '' }, text: '' }] });

const lastEvents = { envelope: 'STREAM_COMPLETE', openai: '[DONE]', responses: '[DONE]', anthropic: 'message_stop' };

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
    it.each(draw(streamed, 2))(
      'costs no credits and little memory, several of %s concurrently',
      async (_kind, path, body) => {
        running.model.becomes(misdeed);
        const { statuses, cost, grownMb } = await resultsOf(path, body, calls);
        expect([statuses, cost]).toEqual([[502], 0]);
        expect(grownMb).toBeLessThan(64);
      },
    );
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
    it.each(draw(streamed, 2))(
      'ends with the reason length, for at most the requested tokens: %s',
      async (kind, path, body) => {
        running.model.becomes(streamFlood(part));
        const { statuses, texts, cost, grownMb } = await resultsOf(path, body, calls);
        expect(statuses).toEqual([200]);
        const format = formatNameOf(path);
        for (const text of texts) expect(text).toContain(lastEvents[format]);
        const reason = format === 'anthropic' ? '"stop_reason":"max_tokens"' : '"finish_reason":"length"';
        const hasReason = format !== 'envelope' || kind === 'a chat';
        if (hasReason) for (const text of texts) expect(text).toContain(reason);
        const tokens = (await tokensOf(prompt)) + 50;
        expect(cost).toBe(calls * (kind.includes('chat') ? 1_000_000 : tokens * 1000));
        expect(grownMb).toBeLessThan(64);
      },
    );
  });

  it.each([
    ['one call', callWith(0, '{"a":1')],
    ['empty arguments', callWith(0, '')],
    ['a new call in every piece', ''],
  ])('of endless calls is ended: %s', async (_, part) => {
    const many = Array.from({ length: 5000 }, (_, index) => callWith(index, '')).join('');
    running.model.becomes(part === '' ? streamFlood(many) : streamFlood(part));
    const tools = [{ type: 'function', function: { name: 'f' } }];
    const { statuses, texts, grownMb } = await resultsOf(
      '/openai/v1/chat/completions',
      { ...chat, tools, stream: true },
      calls,
    );
    expect([statuses, grownMb < 64]).toEqual([[200], true]);
    for (const text of texts) expect(text.match(/"type":"function"/g)?.length).toBeLessThanOrEqual(128);
  });

  it.each(streamed)(
    'that repeats its role after its text fails, and its text is charged: %s',
    async (kind, path, body) => {
      running.model.becomes(streamFlood(role, choice('word')));
      const { statuses, texts, cost } = await resultsOf(path, body, 1);
      const tokens = (await tokensOf(prompt)) + (await tokensOf('word'));
      expect([statuses, cost]).toEqual([[200], kind.includes('chat') ? 1_000_000 : tokens * 1000]);
      expect(texts[0]).toMatch(/MODEL_ERROR|model_error|"error":/);
    },
  );

  it.each(streamed)('with only [DONE] returns an uncharged 502: %s', async (_, path, body) => {
    for (const before of ['', role, ': ping\n\n', event({ choices: [] }), event({ choices: [], usage: null })]) {
      running.model.becomes(streamOf(`${before}data: [DONE]\n\n`));
      const { statuses, cost } = await resultsOf(path, body, 1);
      expect([before, statuses, cost]).toEqual([before, [502], 0]);
    }
  });

  it.each(streamed)(
    'that redirects returns an uncharged 502, and the redirect is not followed: %s',
    async (_, path, body) => {
      running.model.becomes((res) => begun({ location: `${running.trap.url}/` }, '', 302)(res).end());
      const { statuses, cost } = await resultsOf(path, body, 1);
      expect([statuses, cost, running.trap.requests()]).toEqual([[502], 0, 0]);
    },
  );
});

describe('model text with NUL and lone surrogates', () => {
  const odd = '\\u0000a\\ud800b\\udc00c\\ud83d\\ude00\\u2028';
  const text = '\ufffda\ufffdb\ufffdc\ud83d\ude00\u2028';
  it.each(whole.slice(0, 4))('is returned with U+FFFD in their place: %s', async (_, path, body) => {
    running.model.becomes((res) =>
      begun({})(res).end(`{"choices":[{"text":"${odd}","message":{"content":"${odd}"},"finish_reason":"stop"}]}`),
    );
    const reply = await running.service.open(path, body);
    const bytes = new TextDecoder('utf-8', { fatal: true }).decode(await reply.arrayBuffer());
    const { data, choices, content } = JSON.parse(bytes);
    const [choice] = (data?.choices ?? choices ?? content) as any[];
    expect([reply.status, choice.text ?? choice.message.content]).toEqual([200, text]);
  });

  it.each(streamed)('is streamed with U+FFFD, even if cut within a character: %s', async (_, path, body) => {
    const pieces = [...odd.matchAll(/\\u....|./g)].map(([piece]) => piece);
    const events = pieces.map((piece) => `data: {"choices":[{"text":"${piece}","delta":{"content":"${piece}"}}]}\n\n`);
    const end = event({ choices: [{ delta: {}, text: '', finish_reason: 'stop' }] });
    running.model.becomes(streamOf(...events, end, 'data: [DONE]\n\n'));
    const reply = await running.service.open(path, body);
    const bytes = new TextDecoder('utf-8', { fatal: true }).decode(await reply.arrayBuffer());
    const lines = bytes.split('\n').filter((line) => line.startsWith('data: {'));
    const chunks = lines.map((line) => JSON.parse(line.slice('data: '.length)));
    expect(contentOf(chunks.map((chunk) => (chunk.data === undefined ? { data: chunk } : chunk)))).toBe(text);
  });
});
