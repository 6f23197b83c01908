import { countTokens } from 'gpt-tokenizer/encoding/cl100k_base';
import { describe, expect, it, vi } from 'vitest';
import { outputRoom } from '#domain/inference/chat.ts';
import { toModelCompletion } from '#domain/inference/completion.ts';
import { toModelEmbeddings } from '#domain/inference/embeddings.ts';
import { TokenCount } from '#domain/inference/order.ts';
import { BytePairs } from '#gateways/byte-pairs/byte-pairs.ts';
import { bpeTokenizer } from '#gateways/tokenizer.ts';
import { hostilePieces, hostileText, randomOf } from '#test/attacks/hostile-texts.ts';
import { atLength } from '#test/many.ts';

const proved = async () => undefined;
const words = (count: number): string => 'word '.repeat(count).trim();

describe('our token count', () => {
  it('never exceeds the number of bytes, even for long runs of one character', async () => {
    const run = 'a'.repeat(100_000);
    const spaces = ' '.repeat(100_000);
    for (const text of [run, spaces, `${run} ${spaces}.`, '好'.repeat(3_000), '👩‍💻'.repeat(1_000)]) {
      const tokens = await bpeTokenizer.count(text);
      expect(tokens).toBeGreaterThan(0);
      expect(tokens).toBeLessThanOrEqual(Buffer.byteLength(text));
    }
  });
});

describe('a request without max_tokens', () => {
  const completion = (count: number) =>
    toModelCompletion({ model: 'svc-1', prompt: words(count), stream: false } as never, bpeTokenizer, proved);
  const chat = async (count: number) => {
    const messages = [{ role: 'user', content: words(count) }];
    const conversation = { model: 'svc-1', messages, functions: [] } as never;
    return (await outputRoom(conversation, bpeTokenizer, proved)).maxTokens;
  };

  it('defaults to 100 tokens for a completion and 1,024 for a chat, however long the words are', async () => {
    for (const count of [1, 700, 799, 815, 818, 819, 820, 1_000, 3_996])
      expect([count, (await completion(count)).body.max_tokens]).toEqual([count, 100]);
    for (const count of [1, 617, 717, 817, 825, 837, 3_065]) expect([count, await chat(count)]).toEqual([count, 1024]);
  });

  it('is limited to the space in the window, and rejected without space', async () => {
    expect((await completion(4_000)).body.max_tokens).toBe(96);
    expect(await chat(4_000)).toBe(4096 - 4_000 - 7);
    await expect(completion(4_096)).rejects.toMatchObject({ code: 'CONTEXT_LENGTH_EXCEEDED' });
    await expect(chat(4_089)).rejects.toMatchObject({ code: 'CONTEXT_LENGTH_EXCEEDED' });
  });
});

describe('a request in a dialect that reduces the output', () => {
  const chat = async (count: number, maxTokens?: number) => {
    const messages = [{ role: 'user', content: words(count) }];
    const conversation = { model: 'svc-1', messages, functions: [], maxTokens, reducesOutput: true } as never;
    return (await outputRoom(conversation, bpeTokenizer, proved)).maxTokens;
  };

  it('may generate half of the window by default, or the tokens that remain after a long prompt', async () => {
    expect(await chat(1)).toBe(2_048);
    expect(await chat(3_000)).toBe(4_096 - 3_000 - 7);
    expect(await chat(1, 32_000)).toBe(4_096 - 1 - 7);
    expect(await chat(3_000, 32_000)).toBe(4_096 - 3_000 - 7);
    expect(await chat(4_000, 10)).toBe(10);
  });

  it('is rejected unless 1,024 tokens, or the requested number, fit', async () => {
    expect(await chat(3_065)).toBe(1_024);
    for (const [count, maxTokens] of [
      [3_066, undefined],
      [3_066, 32_000],
      [4_080, 10],
    ] as const)
      await expect(chat(count, maxTokens)).rejects.toMatchObject({ code: 'CONTEXT_LENGTH_EXCEEDED' });
  });
});

describe('a bound of a prompt', () => {
  const texts = ['word '.repeat(700), '好'.repeat(300), 'x'.repeat(900)];
  const total = () => new TokenCount(texts, bpeTokenizer).upTo(Number.POSITIVE_INFINITY);

  it('is the count, or at most what suffices', async () => {
    const exact = await total();
    for (const enough of [10, exact - 1, exact, exact + 300, exact + 2000, 1e6]) {
      const bound = await new TokenCount(texts, bpeTokenizer).looseBound(enough, 1e6, proved);
      if (enough < exact) expect(bound).toBe(exact);
      else expect([bound >= exact, bound <= enough]).toEqual([true, true]);
    }
  });

  it('does not replace the count', async () => {
    const count = new TokenCount(texts, bpeTokenizer);
    expect(await count.looseBound((await total()) + 300, 1e6, proved)).toBeGreaterThan(await total());
    expect(await count.upTo(1e6)).toBe(await total());
  });

  it('counts less than everything, and only for a proved key', async () => {
    const count = vi.spyOn(BytePairs.prototype, 'count');
    const seen: boolean[] = [];
    try {
      const prove = async () => void seen.push(count.mock.calls.length === 0);
      await new TokenCount(['好'.repeat(9000)], bpeTokenizer).looseBound(26_000, 1e6, prove);
      expect(seen).toEqual([true]);
      const some = count.mock.calls.length;
      await new TokenCount(['好'.repeat(9000)], bpeTokenizer).upTo(1e6);
      expect(count.mock.calls.length - some).toBeGreaterThan(5 * some);
    } finally {
      count.mockRestore();
    }
  });
});

it('a text to embed may have 8,192 tokens, and the error for a longer one states its count', async () => {
  const order = (count: number) =>
    toModelEmbeddings({ model: 'svc-embed', input: words(count) } as never, bpeTokenizer, proved);
  expect((await order(8_192)).maxTokens).toBe(8_192);
  await expect(order(8_193)).rejects.toThrow(/8193/);
});

describe('our token count and that of the reference library', () => {
  /** The library's own count, in the parts that we count. It removes a byte order mark from its input. */
  const theirs = (text: string): number =>
    (text.match(/\s{1,256}|\S{1,256}/g) ?? [])
      .reduce((pieces: string[], run) => joinedOrCut(pieces, run), [])
      .reduce((sum, piece) => sum + countTokens(piece), 0);

  function joinedOrCut(pieces: string[], run: string): string[] {
    const last = pieces.at(-1) ?? '';
    const before = /(?:\s+|\S+)$/.exec(last)?.[0] ?? '';
    const isCut = before.length >= 256 && /\s/.test(before) === /\s/.test(run);
    return isCut || last === '' ? [...pieces, run] : [...pieces.slice(0, -1), last + run];
  }

  it.each([...Object.keys(hostilePieces), 'all'])('are equal: %s', async (kind) => {
    const random = randomOf(7);
    for (let round = 0; round < atLength(15, 60); round += 1) {
      const text = hostileText(kind, 1 + random(3000), random).replaceAll('\ufeff', '');
      expect(await bpeTokenizer.count(text), `of ${JSON.stringify(text)}`).toBe(theirs(text));
    }
  });

  it('are equal for random ASCII characters', async () => {
    const random = randomOf(11);
    const letters = "aZé09.,'(\n\r\t  -s";
    for (let round = 0; round < atLength(200, 2000); round += 1) {
      const text = Array.from({ length: random(60) }, () => letters[random(letters.length)]).join('');
      expect(await bpeTokenizer.count(text), `of ${JSON.stringify(text)}`).toBe(theirs(text));
    }
  });

  it('encode a repeated word once', async () => {
    const sentence = 'Seventeen otters, unimpressed, reread chapter 9. ';
    const encode = vi.spyOn(BytePairs.prototype, 'count');
    try {
      await bpeTokenizer.count(sentence.repeat(1000));
      // It has 10 words. The first and the last of the text differ.
      expect(encode.mock.calls.length).toBeLessThan(15);
    } finally {
      encode.mockRestore();
    }
  });

  it('stop once what is left cannot exceed the bound, and return an upper bound', async () => {
    const random = randomOf(17);
    for (const kind of [...Object.keys(hostilePieces), 'all']) {
      const text = hostileText(kind, 1 + random(6000), random);
      const exact = await bpeTokenizer.count(text);
      for (const enough of [-1, 0, 1, Math.floor(exact / 2), exact - 1, exact, exact + 1, 2 * exact, 100_000]) {
        const bound = await bpeTokenizer.count(text, Number.POSITIVE_INFINITY, enough);
        if (enough < exact) expect(bound).toBe(exact);
        else expect([bound >= exact, bound <= enough]).toEqual([true, true]);
      }
    }
  });

  it('stop soon after the requested maximum', async () => {
    expect(await bpeTokenizer.count(words(1000), 10)).toBe(11);
    expect(await bpeTokenizer.count('='.repeat(100_000), 50)).toBeLessThan(70);
    expect(await bpeTokenizer.count(words(10), 10)).toBe(10);
  });
});
