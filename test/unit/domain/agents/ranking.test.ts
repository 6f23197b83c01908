import { describe, expect, it } from 'vitest';
import { countWords, packWords, type PassageBlock, rankPassages } from '#domain/agents/ranking.ts';
import { packVectors } from '#domain/agents/vector-index.ts';

describe('a ranking', () => {
  const vector = [1, 0];
  const blocks = ['Ferries leave at noon.', 'Bicycles are free.', 'Breakfast begins at seven.'].map((text, at) => {
    const vectors = packVectors([
      [
        [1, 0],
        [0, 1],
        [0, 1],
      ][at] ?? [],
    ]);
    return { count: 1, vectors, words: packWords([countWords(text)]) };
  });
  const placesOf = (text: string, some: readonly PassageBlock[] = blocks) =>
    rankPassages(some, { text, vector }, 4).map(({ block }) => some.indexOf(block));

  it('contains passages that vectors or words find, and no others', () => {
    expect(placesOf('Oslo')).toEqual([0]);
    expect(placesOf('Breakfast?')).toEqual([0, 2]);
    expect(placesOf('ferries')).toEqual([0]);
  });

  it('uses only vectors for documents stored without words', () => {
    const before = blocks.map(({ count, vectors }) => ({ count, vectors }));
    expect(placesOf('Breakfast?', before)).toEqual([0]);
  });

  it('omits passages with the vectors of another model', () => {
    const other = { count: 1, vectors: packVectors([[1, 0, 0]]), words: packWords([countWords('Breakfast')]) };
    expect(placesOf('Breakfast', [other])).toEqual([]);
  });
});

describe('2,000 passages of hostile texts', () => {
  const letters = 'abcdefghijklmnopqrstuvwxyz';
  const texts: [string, (at: number) => string][] = [
    ['one character repeated', () => 'a'.repeat(1000)],
    ['marks', () => `a${'\u0301'.repeat(499)}`],
    [
      'Chinese without spaces',
      (at) =>
        Array.from({ length: 333 }, (_, i) => String.fromCodePoint(0x4e00 + ((at * 331 + i * 7) % 20_000))).join(''),
    ],
    [
      'words of two letters',
      (at) => Array.from({ length: 333 }, (_, i) => `${letters[(at + i) % 26]}${letters[(i * 7) % 26]}`).join(' '),
    ],
    [
      'capitals inside words',
      (at) =>
        Array.from({ length: 500 }, (_, i) => `${letters[(at + i) % 26]}${letters[(i * 7) % 26]?.toUpperCase()}`).join(
          '',
        ),
    ],
    ['digits and spaces', (at) => Array.from({ length: 250 }, (_, i) => String((at + i) % 1000)).join(' ')],
  ];

  it.each(texts)('%s are counted, packed and searched within 4 s, in at most 4 MB', (_, textAt) => {
    const passages = Array.from({ length: 2000 }, (_one, at) => textAt(at));
    const start = performance.now();
    const blocks = Array.from({ length: 20 }, (_one, block) => {
      const some = passages.slice(block * 100, block * 100 + 100);
      return { count: 100, vectors: packVectors(some.map(() => [0, 1])), words: packWords(some.map(countWords)) };
    });
    const counted = performance.now();
    const text = passages.slice(0, 2).join(' ');
    rankPassages(blocks, { text, vector: [1, 0] }, 4);
    const [countMs, searchMs] = [counted - start, performance.now() - counted];
    const bytes = blocks.reduce((sum, { words }) => sum + words.length, 0);
    expect(bytes).toBeLessThanOrEqual(2000 * 2002);
    expect(countMs + searchMs).toBeLessThan(4000);
  });

  it.each(texts)('%s fit into one item with their vectors, 96 at a time', (_, textAt) => {
    const words = packWords(Array.from({ length: 96 }, (_one, at) => countWords(textAt(at).slice(0, 1000))));
    expect(words.length + 96 * (1536 + 4)).toBeLessThan(390_000);
  });
});

describe('words of a passage', () => {
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
  ])('%s and %s have one in common', (one, other) => {
    expect(shares(one, other)).toBe(true);
  });

  it.each([
    ['ferry', 'ferries'],
    ['東京', '京都'],
    ['', 'a'],
  ])('%s and %s have none in common', (one, other) => {
    expect(shares(one, other)).toBe(false);
  });
});
