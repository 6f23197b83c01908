import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoEngine } from '#local/demo-engine/engine.ts';
import type { Engine } from '#local/sagemaker/engine.ts';
import { countTokens } from '#local/sagemaker/words.ts';
import { done, type Step } from '#test/scripted-model.ts';
import {
  chatEnd,
  chatPiece,
  pieces,
  type ScriptedService,
  startScriptedService,
  textEnd,
  textPiece,
  textReader,
  tokensOf,
} from '#test/scripted-service.ts';

let service: ScriptedService;
beforeAll(async () => {
  service = await startScriptedService({ families: { 'svc-instruct': 'lmi' } });
});
afterAll(() => service.close());

const prompt = 'The tide comes in twice a day. '.repeat(20);
const maxTokens = 40;
const output = pieces.join('');
const messages = [{ role: 'user', content: prompt }];

const paths = {
  completions: ['/v1/completions', '/openai/v1/completions'],
  chats: ['/v1/chat/completions', '/openai/v1/chat/completions'],
  embeddings: ['/v1/embeddings', '/openai/v1/embeddings'],
} as const;

/** Microcredits of tokens of completions. */
const perToken = 1000;
const countedCost = async (text: string): Promise<number> =>
  text === '' ? 0 : ((await tokensOf(prompt)) + (await tokensOf(text))) * perToken;

const usage = (prompt_tokens: unknown, completion_tokens: unknown): object => ({
  choices: [],
  usage: { prompt_tokens, completion_tokens },
});

interface Ending {
  readonly name: string;
  /** What the model does after `pieces`; undefined stands for a reader who leaves then. */
  readonly steps: (ended: object) => readonly Step[];
  readonly leaves?: true;
  /** Tokens that are charged where the model's own usage counts; else our own count of prompt and output. */
  readonly tokens?: number;
  readonly stop?: string;
  readonly output?: string;
}

const hangs = (): Promise<unknown> => service.model.ended();
/** All but the last are of a stream that is cut short, or whose usage is no use. */
const endings: Ending[] = [
  { name: 'its reader leaves', steps: () => [hangs], leaves: true },
  { name: 'its reader leaves after the finish reason', steps: (ended) => [ended, hangs], leaves: true },
  { name: 'the model hangs', steps: () => [hangs] },
  { name: 'the model hangs after the finish reason', steps: (ended) => [ended, hangs] },
  { name: 'the model breaks its connection', steps: () => [new Error('broken')] },
  { name: 'the model reports an error', steps: () => [{ error: { message: 'CUDA', code: 500 } }] },
  { name: 'the model reports a refusal', steps: () => [{ error: { message: 'no', code: 400 } }] },
  { name: 'the model is aborted', steps: () => [{ choices: [{ index: 0, finish_reason: 'abort' }] }] },
  { name: 'the model ends without a reason', steps: () => [] },
  { name: 'the model breaks after its usage', steps: () => [usage(1, 1), new Error('broken')] },
  { name: 'the model sends no JSON', steps: () => ['data: {"choices":[\n\n'] },
  {
    name: 'a stop sequence is reached while the model runs on',
    steps: () => [hangs],
    stop: '日本',
    output: output.slice(0, output.indexOf('日本')),
  },
  { name: 'all is whole without usage', steps: (ended) => [ended, done] },
  { name: 'all is whole by [DONE] alone', steps: () => [done] },
  { name: 'all is whole with negative usage', steps: (ended) => [ended, usage(-1, 5), done] },
  { name: 'all is whole with usage of a fraction', steps: (ended) => [ended, usage(1.5, 5), done] },
  { name: 'all is whole with usage of 1e400', steps: (ended) => [ended, `data: ${infinite}\n\n`, done] },
  { name: 'all is whole with usage of 0', steps: (ended) => [ended, usage(0, 0), done], tokens: 0 },
  { name: 'all is whole with usage', steps: (ended) => [ended, usage(20, 9), done], tokens: 29 },
];
const infinite = '{"choices":[],"usage":{"prompt_tokens":1e400,"completion_tokens":1}}';

/** Asks for a stream, and leaves it after its pieces where the ending says so. */
async function endedSo(path: string, body: object, leaves: true | undefined): Promise<number> {
  return service.charged(async () => {
    const leaving = new AbortController();
    const reply = await service.open(path, { ...body, max_tokens: maxTokens, stream: true }, leaving.signal);
    const read = textReader(reply);
    await read((text) => leaves !== undefined && text.includes(pieces.at(-1)!));
    leaving.abort();
  });
}

describe.each(paths.completions)('a streamed completion of %s', (path) => {
  it.each(endings)('is charged for its prompt and what was delivered when $name', async (ending) => {
    const { steps, leaves, tokens, stop, output: delivered = output } = ending;
    service.model.streams([...pieces.map(textPiece), ...steps(textEnd)]);
    const cost = await endedSo(path, { model: 'svc-1', prompt, ...(stop && { stop }) }, leaves);
    expect(cost).toBe(tokens === undefined ? await countedCost(delivered) : tokens * perToken);
  });

  it('costs nothing when nothing was delivered, whatever ends it', async () => {
    const failing = endings.filter(({ name, leaves, stop }) => !leaves && !stop && !name.startsWith('all is whole'));
    const silent = failing.filter(({ name }) => !name.includes('finish reason'));
    for (const { name, steps } of silent) {
      service.model.streams(steps(textEnd));
      expect([name, await endedSo(path, { model: 'svc-1', prompt }, undefined)]).toEqual([name, 0]);
    }
  });

  it('costs what was held when the model reports absurd usage, and is delivered', async () => {
    const held = (Buffer.byteLength(prompt) + maxTokens) * perToken;
    for (const absurd of [1e12, 9e15, Number.MAX_SAFE_INTEGER]) {
      for (const told of [usage(absurd, 1), usage(1, absurd), usage(absurd, absurd)]) {
        service.model.streams([...pieces.map(textPiece), textEnd, told, done]);
        expect(await endedSo(path, { model: 'svc-1', prompt }, undefined)).toBe(held);
      }
    }
  });
});

/** The demo engine's stream, which goes no further than `most` events. */
const hangingAfter = (most: number): Engine => ({
  async invoke(body, signal) {
    const reply = await demoEngine({ wordDelayMs: 0 }).invoke(body, signal);
    return reply.kind === 'stream' ? { ...reply, chunks: firstOf(reply.chunks, most) } : reply;
  },
});

async function* firstOf(chunks: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<Uint8Array> {
  let sent = 0;
  for await (const chunk of chunks) {
    yield chunk;
    sent += 1;
    if (sent === most) await hangs();
  }
}

/** Our tokenizer makes far more tokens of it than the model does. */
const numbered = Array.from({ length: 120 }, (_, index) => `word${index + 100}`).join(' ');
const modelsOwn = ['svc-1', 'svc-instruct'].flatMap((model) => paths.completions.map((path) => [path, model] as const));

describe.each(modelsOwn)('a streamed completion of %s whose model %s reports usage with every chunk', (path, model) => {
  const body = { model, prompt: numbered, max_tokens: 8, stream: true };

  it('costs whoever leaves after any number of chunks no more than whoever reads it all', async () => {
    service.model.becomes(demoEngine({ wordDelayMs: 0 }));
    const whole = await service.charged(async () => (await service.open(path, body)).text());
    expect(whole).toBeLessThan((await tokensOf(numbered)) * perToken);

    const costs: number[] = [];
    for (let read = 1; read <= body.max_tokens; read += 1) {
      service.model.becomes(hangingAfter(read));
      const cost = await service.charged(async () => {
        const leaving = new AbortController();
        const reply = await service.open(path, body, leaving.signal);
        let chunks = 0;
        await textReader(reply)((text) => {
          chunks = text.split('\n\n').length - 1;
          return chunks >= read;
        });
        expect(chunks).toBe(read);
        leaving.abort();
      });
      costs.push(cost);
    }
    const tokens = countTokens(numbered);
    expect(costs).toEqual(costs.map((_, index) => (tokens + index + 1) * perToken));
    expect(Math.max(...costs)).toBeLessThanOrEqual(whole);
  });
});

describe.each(paths.completions)('a streamed completion of %s with usage in its chunks', (path) => {
  const told = (text: string, tokens: number): object => ({ ...textPiece(text), ...totals(tokens) });
  const totals = (tokens: unknown) => ({ usage: { prompt_tokens: 20, completion_tokens: tokens } });

  it('costs nothing when all text was held back for a stop sequence until its reader left', async () => {
    const heldBack = Promise.withResolvers<void>();
    const hangsThen = async () => {
      heldBack.resolve();
      await hangs();
    };
    service.model.streams([...pieces.map((piece, index) => told(piece, index + 1)), hangsThen]);
    const cost = await service.charged(async () => {
      const leaving = new AbortController();
      const body = { model: 'svc-1', prompt, max_tokens: maxTokens, stream: true, stop: `${output}!` };
      const reply = service.open(path, body, leaving.signal).catch(() => undefined);
      await heldBack.promise;
      leaving.abort();
      await reply;
    });
    expect(cost).toBe(0);
  });

  it.each([
    ['a reader leaves while a stop sequence may have begun', [' dich', ' a'], 2, ` aus 日本`],
    ['a reader leaves', [' dich', ' aus'], 3, undefined],
  ] as const)('is charged for the tokens whose text was delivered when %s', async (_, more, tokens, stop) => {
    service.model.streams([told('Grüß', 1), ...more.map((piece, index) => told(piece, index + 2)), hangs]);
    const cost = await service.charged(async () => {
      const leaving = new AbortController();
      const body = { model: 'svc-1', prompt, max_tokens: maxTokens, stream: true, ...(stop && { stop }) };
      const reply = await service.open(path, body, leaving.signal);
      await textReader(reply)((text) => text.includes(more[tokens - 2]!));
      leaving.abort();
    });
    expect(cost).toBe((20 + tokens) * perToken);
  });

  it('costs no more than its max_tokens when the model runs past it, nor does leaving it on the way', async () => {
    const many = Array.from({ length: 300 }, (_, index) => told(' tide', index + 1));
    const body = { model: 'svc-1', prompt, max_tokens: maxTokens, stream: true };
    service.model.streams([...many, textEnd, done]);
    const whole = await service.charged(async () => (await service.open(path, body)).text());
    service.model.streams([...many.slice(0, maxTokens + 20), hangs]);
    const left = await service.charged(async () => {
      const leaving = new AbortController();
      const read = textReader(await service.open(path, body, leaving.signal));
      await read((text) => text.split(' tide').length > maxTokens + 20);
      leaving.abort();
    });
    expect([whole, left]).toEqual([(20 + maxTokens) * perToken, (20 + maxTokens) * perToken]);
  });

  it.each([-1, 1.5, '4'])('is charged by our own count when those are %s and its reader leaves', async (figure) => {
    const odd = pieces.map((piece) => ({ ...textPiece(piece), ...totals(figure) }));
    service.model.streams([...odd, hangs]);
    expect(await endedSo(path, { model: 'svc-1', prompt }, true)).toBe(await countedCost(output));
  });
});

describe.each(paths.chats)('a streamed chat of %s', (path) => {
  it.each(endings)('costs 1 credit when $name', async ({ steps, leaves, stop }) => {
    service.model.streams([...pieces.map(chatPiece), ...steps(chatEnd)]);
    expect(await endedSo(path, { model: 'svc-1', messages, ...(stop && { stop }) }, leaves)).toBe(1_000_000);
  });
});

/** The model answers with a whole reply as text. */
const replies = (text: string): Engine => ({
  invoke: async () => ({ kind: 'stream', contentType: 'application/json', chunks: once(text) }),
});

async function* once(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

const wholeUsages: [string, string | undefined, number | 'ours' | 'held'][] = [
  ['no usage', undefined, 'ours'],
  ['usage of null', 'null', 'ours'],
  ['usage of 0', '{"prompt_tokens":0,"completion_tokens":0}', 0],
  ['usage', '{"prompt_tokens":20,"completion_tokens":9}', 29],
  ['negative usage', '{"prompt_tokens":-20,"completion_tokens":-9}', 'ours'],
  ['usage of 9e15', '{"prompt_tokens":9e15,"completion_tokens":9e15}', 'held'],
  ['usage of 1e300', '{"prompt_tokens":1e300,"completion_tokens":9}', 'ours'],
  ['usage of 1e400', '{"prompt_tokens":1e400,"completion_tokens":9}', 'ours'],
];
const withUsage = (usageText: string | undefined, rest: string): string =>
  `{${rest}${usageText === undefined ? '' : `,"usage":${usageText}`}}`;

describe.each(paths.completions)('a whole completion of %s', (path) => {
  it.each(wholeUsages)('with %s is charged exactly', async (_, usageText, expected) => {
    const choice = JSON.stringify([{ text: output, finish_reason: 'stop' }]);
    service.model.becomes(replies(withUsage(usageText, `"choices":${choice}`)));
    let status = 0;
    const cost = await service.charged(async () => {
      ({ status } = await service.plain(path, { model: 'svc-1', prompt, max_tokens: maxTokens }));
    });
    const held = (Buffer.byteLength(prompt) + maxTokens) * perToken;
    const tokens = expected === 'ours' ? await countedCost(output) : expected === 'held' ? held : expected * perToken;
    expect([status, cost]).toEqual([200, tokens]);
  });

  it('is charged for no more output than was asked for, however long it is', async () => {
    const choices = [{ text: `${output} `.repeat(100), finish_reason: 'stop' }];
    service.model.becomes(replies(JSON.stringify({ choices })));
    const work = () => service.plain(path, { model: 'svc-1', prompt, max_tokens: maxTokens });
    expect(await service.charged(work)).toBe(((await tokensOf(prompt)) + maxTokens) * perToken);
  });
});

describe.each(paths.chats)('a whole chat of %s', (path) => {
  it.each(wholeUsages)('with %s costs 1 credit', async (_, usageText) => {
    const choice = JSON.stringify([{ message: { content: output }, finish_reason: 'stop' }]);
    service.model.becomes(replies(withUsage(usageText, `"choices":${choice}`)));
    let status = 0;
    const cost = await service.charged(async () => {
      ({ status } = await service.plain(path, { model: 'svc-1', messages, max_tokens: maxTokens }));
    });
    expect([status, cost]).toEqual([200, 1_000_000]);
  });
});

describe.each(paths.embeddings)('embeddings of %s', (path) => {
  it.each(wholeUsages)('with %s are charged exactly', async (_, usageText, expected) => {
    const bare = usageText?.replace(/,"completion_tokens":[^}]*/, '');
    service.model.becomes(replies(withUsage(bare, '"data":[{"index":0,"embedding":[0.5,0.25]}]')));
    let status = 0;
    const cost = await service.charged(async () => {
      ({ status } = await service.plain(path, { model: 'svc-embed', input: prompt }));
    });
    const ours = await tokensOf(prompt);
    const tokens = { ours, held: Buffer.byteLength(prompt) };
    const exact = typeof expected === 'number' ? (expected === 0 ? 0 : 20) : tokens[expected];
    expect([status, cost]).toEqual([200, exact * 100]);
  });
});
