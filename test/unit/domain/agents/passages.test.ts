import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chunkBytes, chunksOf, minChunksOf } from '#domain/agents/indexing.ts';
import { passageSearch, type TurnOrder } from '#domain/agents/turn-order.ts';
import {
  countWords,
  packWords,
  type PassageBlock,
  rankPassages,
  packVectors,
  scoresOf,
  unit,
} from '#domain/agents/vector-index.ts';
import { atLength, times } from '#test/many.ts';

/** Covers every script and width: words, whitespace, sentence ends, combining marks, surrogate pairs and emoji sequences. */
const pieces = [
  ['a', 'Brücke', '日本語', 'ภาษาไทย', 'हिन्दी', 'عربي', '👩‍👩‍👧', '🏳️‍🌈', '🌊', 'e\u0301\u0323', '한글', 'ﬁ', '\u{10348}'],
  [' ', '\n\n', '. ', '! ', '。', '\t', '\u00a0', '\u3000', '-', '…'],
].flat();
const text = fc
  .array(fc.tuple(fc.constantFrom(...pieces), fc.integer({ min: 1, max: 120 })), { minLength: 1, maxLength: 60 })
  .map((parts) => parts.map(([piece, times]) => piece.repeat(times)).join(''));

const pointsOf = (value: string): string[] => Array.from(value);
const isSpace = (value: string): boolean => !/\S/.test(value);

describe('the chunks of a text', () => {
  it('are at least as many as the lower bound that is computed without cutting', () => {
    const property = fc.property(text, (value) => {
      fc.pre(!isSpace(value));
      expect(minChunksOf(value)).toBeLessThanOrEqual(chunksOf(value).length);
    });
    fc.assert(property);
    expect(minChunksOf('Word '.repeat(10_000))).toBe(40);
  });

  it('are consecutive slices of the text at code point offsets, and omit only whitespace', () => {
    const property = fc.property(text, (value) => {
      const points = pointsOf(value);
      const chunks = chunksOf(value);
      let at = 0;
      for (const { start, end, text: passage } of chunks) {
        expect(isSpace(points.slice(at, start).join(''))).toBe(true);
        expect(points.slice(start, end).join('')).toBe(passage);
        expect(start).toBeGreaterThanOrEqual(at);
        at = end;
      }
      expect(isSpace(points.slice(at).join(''))).toBe(true);
    });
    fc.assert(property, { numRuns: 300 });
  });

  it('contain 1 to 1,000 bytes, and never half a character', () => {
    const property = fc.property(text, (value) => {
      for (const { text: passage } of chunksOf(value)) {
        expect(Buffer.byteLength(passage)).toBeLessThanOrEqual(chunkBytes);
        expect([passage.trim(), passage.isWellFormed()]).toEqual([passage, true]);
        expect(passage).not.toBe('');
      }
    });
    fc.assert(property, { numRuns: 300 });
  });

  it("never start with a combining mark of the previous chunk's last letter", () => {
    const letter = fc.tuple(
      fc.constantFrom('a', 'ක', 'ж', 'é'),
      fc.constantFrom('', '\u0301', '\u0323\u0302', '\u200d\u0301'),
    );
    const marked = fc
      .array(letter, { minLength: 600, maxLength: 1500 })
      .map((letters) => letters.map((parts) => parts.join('')).join(''));
    const property = fc.property(marked, (value) => {
      for (const { text: passage } of chunksOf(value)) expect(passage).not.toMatch(/^[\p{M}\u200d]/u);
    });
    fc.assert(property, { numRuns: 100 });
  });

  it('separate combining marks from their letter only if they exceed a chunk', () => {
    const chunks = chunksOf(`a${'\u0301'.repeat(2000)}`);
    expect(chunks.length).toBe(5);
    expect(chunks.at(-1)?.end).toBe(2001);
  });

  it('end at the ends of sentences', () => {
    const sentence = 'The office opens at nine in the morning. ';
    const chunks = chunksOf(sentence.repeat(100));
    for (const { text: passage } of chunks) expect(passage).toMatch(/^The office .* morning\.$/);
    expect(chunks.length).toBeLessThan(6);
  });
});

const dimensions = 67;
const vector = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), {
  minLength: dimensions,
  maxLength: dimensions,
});

const dot = (one: readonly number[], other: readonly number[]): number =>
  one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
const cosine = (one: readonly number[], other: readonly number[]): number =>
  dot(one, other) / ((Math.hypot(...one) || 1) * (Math.hypot(...other) || 1));

describe('packed vectors', () => {
  it('score their cosine similarity, to 0.01 and half a byte step', () => {
    const property = fc.property(fc.array(vector, { minLength: 1, maxLength: 5 }), vector, (vectors, query) => {
      const scores = scoresOf(packVectors(vectors), vectors.length, unit(query));
      expect(scores).toHaveLength(vectors.length);
      for (const [at, one] of vectors.entries())
        expect(Math.abs((scores[at] ?? 9) - cosine(one, query))).toBeLessThan(0.01 + Math.sqrt(dimensions) / 254);
    });
    fc.assert(property);
  });

  it('score the same at any position of a buffer', () => {
    const packed = packVectors([
      [1, 2, 3],
      [3, 2, 1],
    ]);
    const query = unit([1, 0, 0]);
    const expected = scoresOf(packed, 2, query);
    for (const offset of [0, 1, 2, 3]) {
      const moved = new Uint8Array(offset + packed.length + 5);
      moved.set(packed, offset);
      expect(scoresOf(moved.subarray(offset, offset + packed.length), 2, query)).toEqual(expected);
    }
  });

  it('score 0 if all their values are 0, and are refused if their lengths differ', () => {
    expect([...scoresOf(packVectors([[0, 0]]), 1, unit([0, 0]))]).toEqual([0]);
    expect(() => scoresOf(packVectors([[1, 2]]), 1, unit([1, 2, 3]))).toThrow(RangeError);
    expect(() => packVectors([[1, 2], [1]])).toThrow(RangeError);
  });
});

describe('a ranking of passages', () => {
  const vector = [1, 0];
  const blockOf = (text: string, stored: number[], model = 'm') => {
    return { model, count: 1, vectors: packVectors([stored]), words: packWords([countWords(text)]) };
  };
  const blocks = [
    blockOf('Ferries leave at noon.', [1, 0]),
    blockOf('Bicycles are free.', [0, 1]),
    blockOf('Breakfast begins at seven.', [0, 1]),
  ];
  const placesOf = (text: string, some: readonly PassageBlock[] = blocks) =>
    rankPassages(some, { text, model: 'm', vector }, 4).map(({ block }) => some.indexOf(block));

  it('contains the passages that match by vector or by word, and no others', () => {
    expect(placesOf('Oslo')).toEqual([0]);
    expect(placesOf('Breakfast?')).toEqual([0, 2]);
    expect(placesOf('ferries')).toEqual([0]);
  });

  it('uses only vectors for documents that were stored without words', () => {
    const before = blocks.map(({ model, count, vectors }) => ({ model, count, vectors }));
    expect(placesOf('Breakfast?', before)).toEqual([0]);
  });

  it.each([
    ['of another model', [1, 0], 'other'],
    ['of another length', [1, 0, 0], 'm'],
  ])('compares no vectors %s, only words', (_, stored, model) => {
    const others = [blockOf('Breakfast', stored, model), blockOf('Ferries', stored, model)];
    expect(placesOf('Oslo', others)).toEqual([]);
    expect(placesOf('ferries', [...others, blockOf('Trains', [1, 0])])).toEqual([2, 1]);
  });
});

const many = atLength(500, 2000);

describe(`${many} passages of hostile texts`, () => {
  const letters = 'abcdefghijklmnopqrstuvwxyz';
  const pair = (at: number, i: number): string => `${letters[(at + i) % 26]}${letters[(i * 7) % 26]}`;
  const repeated = (count: number, make: (i: number) => string): string => times(count, make).join('');
  const texts: [string, (at: number) => string][] = [
    ['one character repeated', () => 'a'.repeat(1000)],
    ['marks', () => `a${'\u0301'.repeat(499)}`],
    [
      'Chinese without spaces',
      (at) => repeated(333, (i) => String.fromCodePoint(0x4e00 + ((at * 331 + i * 7) % 20_000))),
    ],
    ['words of two letters', (at) => repeated(333, (i) => `${pair(at, i)} `)],
    ['capitals inside words', (at) => repeated(500, (i) => pair(at, i).replace(/.$/, (last) => last.toUpperCase()))],
    ['digits and spaces', (at) => repeated(250, (i) => `${(at + i) % 1000} `)],
  ];

  it.each(texts)('of %s are counted, packed and searched within 4 s, and take at most 4 MB', (_, textAt) => {
    const passages = times(many, textAt);
    const start = performance.now();
    const blocks = times(many / 100, (block) => {
      const some = passages.slice(block * 100, block * 100 + 100);
      return {
        model: 'm',
        count: 100,
        vectors: packVectors(some.map(() => [0, 1])),
        words: packWords(some.map(countWords)),
      };
    });
    const counted = performance.now();
    const text = passages.slice(0, 2).join(' ');
    rankPassages(blocks, { text, model: 'm', vector: [1, 0] }, 4);
    const [countMs, searchMs] = [counted - start, performance.now() - counted];
    const bytes = blocks.reduce((sum, { words }) => sum + words.length, 0);
    expect(bytes).toBeLessThanOrEqual(many * 2002);
    expect(countMs + searchMs).toBeLessThan(4000);
  });

  it.each(texts)('of %s fit into items with their vectors, 96 to an item', (_, textAt) => {
    const words = packWords(Array.from({ length: 96 }, (_one, at) => countWords(textAt(at).slice(0, 1000))));
    expect(words.length + 96 * (1536 + 4)).toBeLessThan(390_000);
  });
});

describe('the words of a passage', () => {
  const shares = (one: string, other: string) => {
    const words = countWords(one);
    return [...countWords(other).keys()].some((word) => words.has(word));
  };

  it.each([
    ['Café', 'CAFE'],
    ['maxTokens', 'the tokens'],
    ['首都は東京です', '東京'],
    ['서울에서', '서울'],
    ['กรุงเทพมหานคร', 'กรุงเทพ'],
  ])('match in %s and %s', (one, other) => {
    expect(shares(one, other)).toBe(true);
  });

  it.each([
    ['ferry', 'ferries'],
    ['東京', '京都'],
    ['', 'a'],
  ])('do not match in %s and %s', (one, other) => {
    expect(shares(one, other)).toBe(false);
  });
});

const embedded = (length: number) => async () => ({ body: { data: [{ embedding: Array(length).fill(1) }] }, cost: 0 });
const search = (scores: readonly number[]) => async () =>
  scores.map((score, start) => ({ documentId: 'doc_1', name: 'Handbook', start, end: start + 1, text: 'x', score }));
const order = { agent: { chunks: 9 }, message: { content: 'What is the weather in Oslo?' }, recent: [] };

describe('the passages for a message', () => {
  it('are searched by its vector and its words', async () => {
    const queries: unknown[] = [];
    const found = passageSearch(embedded(1536) as never, {
      search: async (_agent, query, limit) => {
        queries.push(query, limit);
        return search([0.44, 0.04])();
      },
    });
    const passages = await found(order as unknown as TurnOrder);
    expect(passages.map(({ score }) => score)).toEqual([0.44, 0.04]);
    expect(queries).toEqual([{ text: order.message.content, model: 'svc-embed', vector: Array(1536).fill(1) }, 4]);
  });

  it.each([2, 1535, 5000])('are refused if the embedding of the message has %i dimensions', async (length) => {
    const found = passageSearch(embedded(length) as never, { search: search([0.4]) });
    await expect(found(order as unknown as TurnOrder)).rejects.toMatchObject({ code: 'MODEL_ERROR' });
  });
});
