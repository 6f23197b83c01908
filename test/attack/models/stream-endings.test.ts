import { describe, expect, it } from 'vitest';
import { demoEngine } from '#local/demo-engine/engine.ts';
import type { Engine } from '#local/sagemaker/engine.ts';
import { countTokens } from '#local/sagemaker/words.ts';
import { seed, someOf } from '#test/many.ts';
import { done, type Step } from '#test/models/scripted-model.ts';
import {
  chatEnd,
  chatPiece,
  contentOf,
  pieces,
  textEnd,
  textPiece,
  textReader,
  tokensOf,
  useScriptedService,
} from '#test/service/scripted-service.ts';

const prompt = 'The tide comes in twice a day. '.repeat(20);
const maxTokens = 40;
const output = pieces.join('');
const messages = [{ role: 'user', content: prompt }];

const paths = {
  completions: ['/v1/completions', '/openai/v1/completions'],
  chats: ['/v1/chat/completions', '/openai/v1/chat/completions', '/anthropic/v1/messages'],
  embeddings: ['/v1/embeddings', '/openai/v1/embeddings'],
} as const;

/** Microcredits per token of a completion. */
const perToken = 1000;
const countedCost = async (text: string): Promise<number> =>
  text === '' ? 0 : ((await tokensOf(prompt)) + (await tokensOf(text))) * perToken;

const service = useScriptedService({ families: { 'svc-instruct': 'lmi' } });
const hangs = (): Promise<unknown> => service.model.ended();

/** The charge of a stream whose client disconnects after its pieces if that is the ending. */
const endedSo = (path: string, body: object, leaves?: true): Promise<number> =>
  service.charged(async () => {
    const leaving = new AbortController();
    const reply = await service.open(path, { ...body, max_tokens: maxTokens, stream: true }, leaving.signal);
    await textReader(reply)((text) => leaves !== undefined && text.includes(pieces.at(-1)!));
    leaving.abort();
  });

const usage = (prompt_tokens: unknown, completion_tokens: unknown): object => ({
  choices: [],
  usage: { prompt_tokens, completion_tokens },
});

interface Ending {
  readonly name: string;
  /** The model's behavior after `pieces`. If undefined, the client disconnects then. */
  readonly steps: (ended: object) => readonly Step[];
  readonly leaves?: true;
  /** The stream is complete, whatever follows. */
  readonly isWhole?: true;
  /** Charged tokens if the model's own usage counts, otherwise our own count of prompt and output. */
  readonly tokens?: number;
  readonly stop?: string;
  readonly output?: string;
}
/** All but the last belong to a truncated stream, or one with unusable usage. */
const endings: Ending[] = [
  { name: 'its reader leaves', steps: () => [hangs], leaves: true },
  { name: 'its reader leaves after the finish reason', steps: (ended) => [ended, hangs], leaves: true },
  { name: 'the model hangs', steps: () => [hangs] },
  { name: 'the model hangs after the finish reason', steps: (ended) => [ended, hangs], isWhole: true },
  { name: 'the model breaks after the finish reason', steps: (ended) => [ended, new Error('broken')], isWhole: true },
  {
    name: 'the model fails after the finish reason',
    steps: (ended) => [ended, { error: { message: 'no' } }],
    isWhole: true,
  },
  { name: 'the model sends no JSON after the finish reason', steps: (ended) => [ended, '<html>\n'], isWhole: true },
  {
    name: 'the model sends more text after the finish reason',
    steps: (ended) => [ended, textPiece(' more'), chatPiece(' more'), ended, hangs],
    isWhole: true,
  },
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
  { name: 'all is whole with usage of 0', steps: (ended) => [ended, usage(0, 0), done] },
  { name: 'all is whole with usage of 9e15', steps: (ended) => [ended, usage(9e15, 9e15), done] },
  {
    name: 'all is whole with usage, and the model hangs then',
    steps: (ended) => [ended, usage(20, 9), hangs],
    tokens: 29,
  },
  { name: 'all is whole with usage', steps: (ended) => [ended, usage(20, 9), done], tokens: 29 },
];
const infinite = '{"choices":[],"usage":{"prompt_tokens":1e400,"completion_tokens":1}}';

const isWhole = ({ leaves, isWhole: complete, name }: Ending) =>
  !leaves && (complete || name.startsWith('all is whole'));

describe.each([
  ['completion', '/v1/completions', { model: 'svc-1', prompt }, textPiece, textEnd],
  ['chat', '/v1/chat/completions', { model: 'svc-1', messages }, chatPiece, chatEnd],
] as const)('a streamed %s', (_, path, body, piece, ended) => {
  it.each(someOf(endings.filter(isWhole), 6, seed))('is delivered whole within 5 s when $name', async ({ steps }) => {
    service.model.streams([...pieces.map(piece), ...steps(ended)]);
    const before = performance.now();
    const { envelopes } = await service.streamed(path, { ...body, max_tokens: 40, stream: true });
    expect([contentOf(envelopes), envelopes.at(-1).message]).toEqual([output, 'STREAM_COMPLETE']);
    expect(performance.now() - before).toBeLessThan(5000);
  });
});

describe.each(paths.completions)('a streamed completion of %s', (path) => {
  it.each(path === '/v1/completions' ? endings : someOf(endings, 4, seed))(
    'is charged for its prompt and the delivered text when $name',
    async (ending) => {
      const { steps, leaves, tokens, stop, output: delivered = output } = ending;
      service.model.streams([...pieces.map(textPiece), ...steps(textEnd)]);
      const cost = await endedSo(path, { model: 'svc-1', prompt, ...(stop && { stop }) }, leaves);
      expect(cost).toBe(tokens === undefined ? await countedCost(delivered) : tokens * perToken);
    },
  );

  it('costs nothing if nothing was delivered, however the stream ends', async () => {
    const failing = endings.filter(({ name, leaves, stop }) => !leaves && !stop && !name.startsWith('all is whole'));
    const silent = failing.filter(({ isWhole }) => !isWhole);
    for (const { name, steps } of someOf(silent, 4, seed)) {
      service.model.streams(steps(textEnd));
      expect([name, await endedSo(path, { model: 'svc-1', prompt })]).toEqual([name, 0]);
    }
  });

  it('is charged by our count if the model reports impossible usage', async () => {
    const counted = await countedCost(output);
    for (const absurd of [1e12, 9e15, Number.MAX_SAFE_INTEGER]) {
      for (const reported of [usage(absurd, 1), usage(1, absurd), usage(absurd, absurd)]) {
        service.model.streams([...pieces.map(textPiece), textEnd, reported, done]);
        expect(await endedSo(path, { model: 'svc-1', prompt })).toBe(counted);
      }
    }
  });
});

describe.each(paths.chats)('a streamed chat of %s', (path) => {
  it.each(someOf(endings, 4, seed + 4))('costs 1 credit when $name', async ({ steps, leaves, stop }) => {
    service.model.streams([...pieces.map(chatPiece), ...steps(chatEnd)]);
    expect(await endedSo(path, { model: 'svc-1', messages, ...(stop && { stop }) }, leaves)).toBe(1_000_000);
  });
});

/** The demo engine's stream, limited to `maxEvents` events. */
const hangingAfter = (maxEvents: number): Engine => ({
  async invoke(body, signal) {
    const reply = await demoEngine({ wordDelayMs: 0 }).invoke(body, signal);
    return reply.kind === 'stream' ? { ...reply, chunks: firstOf(reply.chunks, maxEvents) } : reply;
  },
});

async function* firstOf(chunks: AsyncIterable<Uint8Array>, maxEvents: number): AsyncGenerator<Uint8Array> {
  let sent = 0;
  for await (const chunk of chunks) {
    yield chunk;
    sent += 1;
    if (sent === maxEvents) await hangs();
  }
}

/** Our tokenizer counts far more tokens for it than the model does. */
const numbered = Array.from({ length: 120 }, (_, index) => `word${index + 100}`).join(' ');
const own = ['svc-1', 'svc-instruct'].flatMap((model) => paths.completions.map((path) => [path, model] as const));
const modelsOwn = someOf(own, 2, seed);

describe.each(modelsOwn)('a streamed completion of %s whose model %s reports usage with every chunk', (path, model) => {
  const body = { model, prompt: numbered, max_tokens: 8, stream: true };

  it('costs a client that disconnects after any chunk no more than one that reads the whole stream', async () => {
    service.model.becomes(demoEngine({ wordDelayMs: 0 }));
    const { cost: whole } = await service.priced(path, body);
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
        // A late end of this call would end the next one, which hangs until its client leaves.
        await service.model.ended();
      });
      costs.push(cost);
    }
    const tokens = countTokens(numbered);
    expect(costs).toEqual(costs.map((_, index) => (tokens + index + 1) * perToken));
    expect(Math.max(...costs)).toBeLessThanOrEqual(whole);
  });
});

describe.each(paths.completions)('a streamed completion of %s with usage in its chunks', (path) => {
  const reported = (text: string, tokens: number): object => ({ ...textPiece(text), ...totals(tokens) });
  const totals = (tokens: unknown) => ({ usage: { prompt_tokens: 20, completion_tokens: tokens } });

  it('costs nothing if the client disconnects while all text is held back for a stop sequence', async () => {
    const heldBack = Promise.withResolvers<void>();
    const hangsThen = async () => {
      heldBack.resolve();
      await hangs();
    };
    service.model.streams([...pieces.map((piece, index) => reported(piece, index + 1)), hangsThen]);
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
    ['the client disconnects while a stop sequence may have begun', [' dich', ' a'], 2, ` aus 日本`],
    ['the client disconnects', [' dich', ' aus'], 3, undefined],
  ] as const)('is charged for the tokens of the delivered text when %s', async (_, more, tokens, stop) => {
    service.model.streams([reported('Grüß', 1), ...more.map((piece, index) => reported(piece, index + 2)), hangs]);
    const cost = await service.charged(async () => {
      const leaving = new AbortController();
      const body = { model: 'svc-1', prompt, max_tokens: maxTokens, stream: true, ...(stop && { stop }) };
      const reply = await service.open(path, body, leaving.signal);
      await textReader(reply)((text) => text.includes(more[tokens - 2]!));
      leaving.abort();
    });
    expect(cost).toBe((20 + tokens) * perToken);
  });

  it('is charged for at most its max_tokens if the model exceeds it, even after a disconnect', async () => {
    const many = Array.from({ length: 300 }, (_, index) => reported(' tide', index + 1));
    const body = { model: 'svc-1', prompt, max_tokens: maxTokens, stream: true };
    service.model.streams([...many, textEnd, done]);
    const { cost: whole } = await service.priced(path, body);
    service.model.streams([...many.slice(0, maxTokens + 20), hangs]);
    const left = await service.charged(async () => {
      const leaving = new AbortController();
      const read = textReader(await service.open(path, body, leaving.signal));
      await read((text) => text.split(' tide').length > maxTokens + 20);
      leaving.abort();
    });
    expect([whole, left]).toEqual([(20 + maxTokens) * perToken, (20 + maxTokens) * perToken]);
  });

  it.each([-1, 1.5, '4'])(
    'is charged by our own count if the usage is %s and the client disconnects',
    async (figure) => {
      const odd = pieces.map((piece) => ({ ...textPiece(piece), ...totals(figure) }));
      service.model.streams([...odd, hangs]);
      expect(await endedSo(path, { model: 'svc-1', prompt }, true)).toBe(await countedCost(output));
    },
  );
});

/** The model returns a whole reply as text. */
const replies = (text: string): Engine => ({
  invoke: async () => ({ kind: 'stream', contentType: 'application/json', chunks: once(text) }),
});

async function* once(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

const wholeUsages: [string, string | undefined, number | 'ours'][] = [
  ['no usage', undefined, 'ours'],
  ['usage of null', 'null', 'ours'],
  ['usage of 0', '{"prompt_tokens":0,"completion_tokens":0}', 'ours'],
  ['usage', '{"prompt_tokens":20,"completion_tokens":9}', 29],
  ['negative usage', '{"prompt_tokens":-20,"completion_tokens":-9}', 'ours'],
  ['usage of 9e15', '{"prompt_tokens":9e15,"completion_tokens":9e15}', 'ours'],
  ['usage of 1e300', '{"prompt_tokens":1e300,"completion_tokens":9}', 'ours'],
  ['usage of 1e400', '{"prompt_tokens":1e400,"completion_tokens":9}', 'ours'],
];
const withUsage = (usageText: string | undefined, rest: string): string =>
  `{${rest}${usageText === undefined ? '' : `,"usage":${usageText}`}}`;

const choices = (choice: object) => `"choices":${JSON.stringify([{ ...choice, finish_reason: 'stop' }])}`;
const vectors = '"data":[{"index":0,"embedding":[0.5,0.25]}]';

describe.each(paths.completions)('a whole completion of %s', (path) => {
  const body = { model: 'svc-1', prompt, max_tokens: maxTokens };

  it.each(wholeUsages)('with %s is charged exactly', async (_, usageText, expected) => {
    service.model.becomes(replies(withUsage(usageText, choices({ text: output }))));
    const cost = expected === 'ours' ? await countedCost(output) : expected * perToken;
    expect(await service.priced(path, body)).toMatchObject({ status: 200, cost });
  });

  it('is charged for at most the requested output, however long the response is', async () => {
    service.model.becomes(replies(withUsage(undefined, choices({ text: `${output} `.repeat(100) }))));
    const cost = ((await tokensOf(prompt)) + maxTokens) * perToken;
    expect(await service.priced(path, body)).toMatchObject({ status: 200, cost });
  });
});

describe.each(paths.chats)('a whole chat of %s', (path) => {
  it.each(someOf(wholeUsages, 3, seed))('with %s costs 1 credit', async (_, usageText) => {
    service.model.becomes(replies(withUsage(usageText, choices({ message: { content: output } }))));
    const priced = await service.priced(path, { model: 'svc-1', messages, max_tokens: maxTokens });
    expect(priced).toMatchObject({ status: 200, cost: 1_000_000 });
  });
});

describe.each(paths.embeddings)('embeddings of %s', (path) => {
  it.each(path === '/v1/embeddings' ? wholeUsages : someOf(wholeUsages, 3, seed))(
    'with %s are charged exactly',
    async (_, usageText, expected) => {
      service.model.becomes(replies(withUsage(usageText?.replace(/,"completion_tokens":[^}]*/, ''), vectors)));
      const tokens = expected === 'ours' ? await tokensOf(prompt) : 20;
      const priced = await service.priced(path, { model: 'svc-embed', input: prompt });
      expect(priced).toMatchObject({ status: 200, cost: tokens * 100 });
    },
  );
});
