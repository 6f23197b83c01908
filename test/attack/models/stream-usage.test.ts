import { describe, expect, it } from 'vitest';
import { demoEngine } from '#local/demo-engine/engine.ts';
import type { Engine } from '#local/sagemaker/engine.ts';
import { countTokens } from '#local/sagemaker/words.ts';
import { done } from '#test/models/scripted-model.ts';
import { countedCost, endingsOf, maxTokens, output, paths, perToken, prompt } from '#test/models/stream-endings.ts';
import {
  pieces,
  useScriptedService,
  textEnd,
  textPiece,
  textReader,
  tokensOf,
} from '#test/service/scripted-service.ts';

const service = useScriptedService({ families: { 'svc-instruct': 'lmi' } });

const { hangs, endedSo } = endingsOf(() => service);

/** The demo engine's stream, limited to `most` events. */
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
const modelsOwn = ['svc-1', 'svc-instruct'].flatMap((model) => paths.completions.map((path) => [path, model] as const));

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
