import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limits } from '#contract/shared/limits.ts';
import type { EngineReply } from '#local/sagemaker/engine.ts';
import { tokenPrice } from '#test/meter/token-price.ts';
import { textReader, useScriptedService } from '#test/service/scripted-service.ts';

const service = useScriptedService({ families: {} });
const credit = 1_000_000;
const chats = '/openai/v1/chat/completions';
const completions = '/openai/v1/completions';
const chat = { model: 'svc-1', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 50 };
const prompt = { model: 'svc-instruct', prompt: 'Once upon a time', max_tokens: 50 };

interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
}

const event = (data: object) => Buffer.from(`data: ${JSON.stringify(data)}\n\n`);

async function* streamed(isChat: boolean, pieces: readonly string[], usage: Usage | undefined) {
  const choice = (piece: string, finish_reason: string | null) => ({
    index: 0,
    finish_reason,
    ...(isChat ? { delta: { content: piece } } : { text: piece }),
  });
  for (const piece of pieces) {
    yield event({ choices: [choice(piece, null)] });
    await new Promise(setImmediate);
  }
  yield event({ choices: [choice('', 'stop')] });
  if (usage) yield event({ choices: [], usage });
  yield Buffer.from('data: [DONE]\n\n');
}

/** A model whose replies name the seed, with the usage of each seed. */
function bySeed(usageOf: (seed: number) => Usage | undefined = () => ({ prompt_tokens: 3, completion_tokens: 2 })) {
  const seeds: number[] = [];
  service.model.becomes({
    async invoke(body): Promise<EngineReply> {
      const { seed = -1, stream, messages } = body as { seed?: number; stream?: boolean; messages?: object };
      seeds.push(seed);
      const pieces = ['choice', ` of ${seed}`];
      const usage = usageOf(seed);
      if (stream)
        return { kind: 'stream', contentType: 'text/event-stream', chunks: streamed(Boolean(messages), pieces, usage) };
      const text = pieces.join('');
      const choice = messages ? { message: { role: 'assistant', content: text } } : { text };
      return { kind: 'json', status: 200, body: { choices: [{ ...choice, finish_reason: 'stop' }], usage } };
    },
  });
  return seeds;
}

/** The chunks of a stream. */
const chunksOf = (text: string): any[] =>
  text
    .split('\n\n')
    .filter((line) => line !== '' && line !== 'data: [DONE]')
    .map((line) => JSON.parse(line.slice('data: '.length)));

const textsOf = (chunks: any[], n: number) =>
  Array.from({ length: n }, (_, wanted) =>
    chunks
      .flatMap(({ choices }) => choices)
      .filter(({ index }) => index === wanted)
      .map(({ delta, text }) => delta?.content ?? text ?? '')
      .join(''),
  );

const total = (usages: readonly Usage[]) => {
  const prompt_tokens = usages.reduce((sum, usage) => sum + usage.prompt_tokens, 0);
  const completion_tokens = usages.reduce((sum, usage) => sum + usage.completion_tokens, 0);
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
};

/** At most the 16 bytes of the prompt, which are held as its tokens: a charge never exceeds its hold. */
const anyUsage = fc.record({
  prompt_tokens: fc.integer({ min: 1, max: 16 }),
  completion_tokens: fc.integer({ min: 1, max: 50 }),
});
const anyUsages = fc.array(anyUsage, { minLength: 1, maxLength: limits.choices });

describe('n choices', () => {
  it.each([
    ['a chat', chats, chat],
    ['a completion', completions, prompt],
  ])('of %s have their own index and seed, and each is charged, with and without streaming', async (_, path, body) => {
    await fc.assert(
      fc.asyncProperty(anyUsages, fc.boolean(), async (usages, stream) => {
        const n = usages.length;
        const seeds = bySeed((seed) => usages[seed - 7]);
        const more = { n, seed: 7, stream, ...(stream && { stream_options: { include_usage: true } }) };
        const { status, text, cost } = await service.priced(path, { ...body, ...more });
        expect(status).toBe(200);
        const expected = usages.map((__, index) => `choice of ${7 + index}`);
        expect(seeds.toSorted((one, other) => one - other)).toEqual(usages.map((__, index) => 7 + index));
        if (stream) {
          const chunks = chunksOf(text);
          expect(textsOf(chunks, n)).toEqual(expected);
          expect(chunks.filter(({ usage }) => usage !== null).map(({ usage }) => usage)).toEqual([total(usages)]);
          expect(text.match(/\[DONE\]/g)).toHaveLength(1);
          expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
          const ends = chunks.flatMap(({ choices }) => choices).filter(({ finish_reason: reason }) => reason !== null);
          expect(new Set(ends.map(({ index }) => index))).toEqual(new Set(usages.keys()));
          expect(ends.length).toBe(n);
        } else {
          const { choices, usage } = JSON.parse(text);
          expect(choices.map((choice: any) => [choice.index, choice.message?.content ?? choice.text])).toEqual(
            expected.map((said, index) => [index, said]),
          );
          expect(usage).toEqual(total(usages));
        }
        const tokens = total(usages).total_tokens;
        expect(cost).toBe(path === chats ? n * credit : tokenPrice('completion', tokens));
      }),
      { numRuns: 12 },
    );
  });

  it('are sent without a seed if the request has none', async () => {
    const seeds = bySeed();
    await service.priced(chats, { ...chat, n: 3 });
    expect(seeds).toEqual([-1, -1, -1]);
  });

  it('hold the credits of all choices before the first call is sent', async () => {
    bySeed();
    const response = await service.open(chats, { ...chat, n: 8, stream: true });
    expect(response.headers.get('x-credits-held')).toBe('8');
    await response.text();
  });
});

describe('n choices with one that fails', () => {
  /** The third call fails at once; the others would end much later. */
  function thirdFails() {
    const ended: string[] = [];
    let calls = 0;
    service.model.becomes({
      async invoke(_, signal): Promise<EngineReply> {
        calls += 1;
        if (calls === 3) return { kind: 'json', status: 500, body: { error: 'broken' } };
        return new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            ended.push('aborted');
            resolve({ kind: 'json', status: 200, body: {} });
          });
        });
      },
    });
    return ended;
  }

  it.each([
    [chats, chat],
    [completions, prompt],
  ])('fail together on %s without a charge, and the other calls are cancelled', async (path, body) => {
    const ended = thirdFails();
    const { status, cost } = await service.priced(path, { ...body, n: 4 });
    expect([status, cost]).toEqual([502, 0]);
    await expect.poll(() => ended.length).toBe(3);
  });

  it('end a stream with an error, and are charged for all delivered text', async () => {
    let calls = 0;
    service.model.becomes({
      async invoke(): Promise<EngineReply> {
        calls += 1;
        const fails = calls === 2;
        async function* chunks() {
          yield event({ choices: [{ index: 0, text: 'hello', finish_reason: null }] });
          await new Promise((resolve) => setTimeout(resolve, fails ? 100 : 5000));
          yield Buffer.from('data: {"error":{"message":"broken"}}\n\n');
        }
        return { kind: 'stream', contentType: 'text/event-stream', chunks: chunks() };
      },
    });
    const startedAt = performance.now();
    const { text, cost } = await service.priced(completions, { ...prompt, n: 3, stream: true });
    expect(performance.now() - startedAt).toBeLessThan(3000);
    expect(text.match(/"text":"hello"/g)).toHaveLength(3);
    expect(text).toContain('"code":"model_error"');
    expect(text).not.toContain('[DONE]');
    // The prompt has 4 tokens and the text 1, by the service's own count.
    expect(cost).toBe(tokenPrice('completion', 3 * 5));
  });
});

it('a client that disconnects cancels all choices, and is charged for the delivered text', async () => {
  let aborted = 0;
  service.model.becomes({
    async invoke(_, signal): Promise<EngineReply> {
      signal.addEventListener('abort', () => (aborted += 1));
      async function* chunks() {
        yield event({ choices: [{ index: 0, text: 'hello', finish_reason: null }] });
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        throw new Error('aborted');
      }
      return { kind: 'stream', contentType: 'text/event-stream', chunks: chunks() };
    },
  });
  const cost = await service.charged(async () => {
    const client = new AbortController();
    const reply = await service.open(completions, { ...prompt, n: 3, stream: true }, client.signal);
    const read = textReader(reply);
    await read((text) => text.split('hello').length > 3);
    client.abort();
  });
  expect([aborted, cost]).toEqual([3, tokenPrice('completion', 3 * 5)]);
});

describe('a completion', () => {
  it('repeats its prompt in each choice with echo, at no extra cost', async () => {
    bySeed();
    const whole = await service.priced(completions, { ...prompt, seed: 1, n: 2, echo: true });
    expect(JSON.parse(whole.text).choices.map(({ text }: any) => text)).toEqual([
      'Once upon a timechoice of 1',
      'Once upon a timechoice of 2',
    ]);
    const stream = await service.priced(completions, { ...prompt, seed: 1, n: 2, echo: true, stream: true });
    expect(textsOf(chunksOf(stream.text), 2)).toEqual(['Once upon a timechoice of 1', 'Once upon a timechoice of 2']);
    expect([whole.cost, stream.cost]).toEqual([tokenPrice('completion', 10), tokenPrice('completion', 10)]);
  });

  it.each<[string, unknown]>([
    ['a list of one text', ['Once upon a time']],
    ['token ids', [12_805, 5304, 264, 892]],
    ['a list of one list of token ids', [[12_805, 5304, 264, 892]]],
  ])('accepts its prompt as %s', async (_, given) => {
    let sent: any;
    service.model.becomes({
      async invoke(body): Promise<EngineReply> {
        sent = body;
        return { kind: 'json', status: 200, body: { choices: [{ text: 'there', finish_reason: 'stop' }] } };
      },
    });
    const { status, text } = await service.priced(completions, { ...prompt, prompt: given, echo: true });
    expect([status, sent?.prompt]).toEqual([200, 'Once upon a time']);
    expect(JSON.parse(text).choices[0].text).toBe('Once upon a timethere');
  });
});
