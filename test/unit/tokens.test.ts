import { describe, expect, it } from 'vitest';
import { outputRoom } from '#domain/chat.ts';
import { toModelCompletion } from '#domain/completion.ts';
import { toModelEmbeddings } from '#domain/embeddings.ts';
import { bpeTokenizer } from '#gateways/tokenizer.ts';

const words = (count: number): string => 'word '.repeat(count).trim();

describe('our own count', () => {
  it.each([1, 100, 820, 8_150, 8_192])('of %i common words is so many tokens', async (count) => {
    expect(await bpeTokenizer.count(words(count))).toBe(count);
  });

  it('of a text with long runs is that of the runs in pieces, and never more than its bytes', async () => {
    const run = 'a'.repeat(100_000);
    const spaces = ' '.repeat(100_000);
    for (const text of [run, spaces, `${run} ${spaces}.`, '好'.repeat(3_000), '👩‍💻'.repeat(1_000)]) {
      const tokens = await bpeTokenizer.count(text);
      expect(tokens).toBeGreaterThan(0);
      expect(tokens).toBeLessThanOrEqual(Buffer.byteLength(text));
    }
  });
});

describe('without max_tokens', () => {
  const completion = (count: number) =>
    toModelCompletion({ model: 'svc-1', prompt: words(count), stream: false } as never, bpeTokenizer);
  const chat = (count: number) =>
    outputRoom(
      { model: 'svc-1', messages: [{ role: 'user', content: words(count) }], functions: [] } as never,
      bpeTokenizer,
    );

  it.each([1, 700, 799, 815, 818, 819, 820, 1_000, 3_996])(
    'a completion of %i words has the default of 100, whatever the bytes',
    async (count) => {
      expect((await completion(count)).body.max_tokens).toBe(100);
    },
  );

  it.each([1, 617, 717, 817, 825, 837, 3_065])('a chat of %i words has the default of 1,024', async (count) => {
    expect(await chat(count)).toBe(1024);
  });

  it('what does not fit is cut to what does, and refused when nothing does', async () => {
    expect((await completion(4_000)).body.max_tokens).toBe(96);
    expect(await chat(4_000)).toBe(4096 - 4_000 - 7);
    await expect(completion(4_096)).rejects.toMatchObject({ code: 'CONTEXT_LENGTH_EXCEEDED' });
    await expect(chat(4_089)).rejects.toMatchObject({ code: 'CONTEXT_LENGTH_EXCEEDED' });
  });
});

it('an embedding text may have 8,192 tokens and no more, and the refusal gives its number', async () => {
  const order = (count: number) =>
    toModelEmbeddings({ model: 'svc-embed', input: words(count) } as never, bpeTokenizer);
  expect((await order(8_192)).mostTokens).toBe(8_192);
  await expect(order(8_193)).rejects.toThrow(/8193/);
});
