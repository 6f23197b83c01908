import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countWords, cutText } from '#domain/inference/translation.ts';
import { processorMs } from '#test/attacks/hostile-texts.ts';

/** Words and sentences of several scripts, white space of every kind, marks, long runs, and anything else. */
const anyText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'Hello',
        'world.',
        'Why? ',
        '你好，世界。',
        '今日は天気がいいですね',
        'สวัสดีชาวโลก',
        'ພາສາລາວ',
        '👨‍👩‍👧',
        'e\u0301',
        '…',
      ),
      fc.constantFrom(' ', '\n\n', '\t', '\u00a0', '\u3000', '   ', '\r\n'),
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.integer({ min: 1, max: 200 }).map((length) => 'a'.repeat(length)),
    ),
    { maxLength: 40 },
  )
  .map((pieces) => pieces.join(''));

const oneWord = fc.constantFrom(
  'Hello',
  'world.',
  '(why?)',
  'don’t',
  '–5',
  'Straße',
  '한국어',
  '你好',
  'e\u0301',
  '3.14',
);

const space = fc.stringMatching(/^[ \n\t\u00a0\u3000]{1,5}$/);

const worst = (kilobytes: number): [string, string][] =>
  ['a', ' ', 'a ', '我', '我 ', 'ก', 'กา ', 'ア', '\u0301', '. (', 'a. "', '1,', '👨‍👩‍👧', '🇩🇪', '。'].map((piece) => [
    JSON.stringify(piece),
    piece.repeat((kilobytes * 1024) / Buffer.byteLength(piece)),
  ]);

describe('words', () => {
  it.each([
    ['Hello, world!', 2],
    ['  well-known,\tdon’t\n(and) 3.14 – https://example.com/a-b ', 5],
    ['hello - world !', 2],
    ['word - '.repeat(100), 100],
    ['한국어 문장 입니다', 3],
    ['Здравствуй, мир', 2],
    ['你好，世界。', 2],
    ['iPhoneを買う。', 3],
    ['สวัสดีชาวโลก', 3],
    ['a'.repeat(50), 1],
    ['a'.repeat(51), 2],
    ['one_two_three_'.repeat(100), 28],
    ['…', 1],
    ['-- … !!', 1],
    ['! '.repeat(30).trim(), 2],
    [`a${' -'.repeat(100)}`, 4],
    ['😀'.repeat(50), 1],
    ['😀'.repeat(51), 2],
    ['😀'.repeat(2501), 51],
    ['𐐀'.repeat(50), 1],
    ['𐐀'.repeat(51), 2],
    ['', 0],
    [' \n\t\u3000\ufeff', 0],
  ])('of %j are %i', (text, words) => {
    expect(countWords(text)).toBe(words);
  });

  it('are no more in a text than in its parts, and no fewer than in each', () => {
    fc.assert(
      fc.property(anyText, space, anyText, (one, gap, two) => {
        const [first, whole, second] = [one, one + gap + two, two].map(countWords) as [number, number, number];
        expect(whole).toBeGreaterThanOrEqual(Math.max(first, second));
        expect(whole).toBeLessThanOrEqual(first + second + 1);
      }),
    );
  });

  it('are the same whatever white space is between them', () => {
    fc.assert(
      fc.property(fc.array(oneWord, { minLength: 1 }), space, (words, gap) => {
        expect(countWords(gap + words.join(gap) + gap)).toBe(words.length);
      }),
    );
  });

  it('are in every text that is more than white space', () => {
    fc.assert(fc.property(anyText, (text) => countWords(text) > 0 === (text.trim() !== '')));
    const points = Array.from({ length: 0x3_23b0 }, (_, point) => String.fromCodePoint(point));
    const letters = points.filter((character) => /\p{Lo}|\p{Lm}/u.test(character));
    expect(countWords(letters.join(' '))).toBe(letters.length);
  });
});

describe('the worst texts of 100 KB and of 1 MiB', () => {
  it.each(worst(100))('made of %s are counted and cut in time', async (_, text) => {
    const took = await processorMs(() => {
      countWords(text);
      cutText(text, 1024);
    });
    expect(took).toBeLessThan(2000);
  });

  it.each(worst(1024))('made of %s are counted in time', async (_, text) => {
    expect(await processorMs(() => countWords(text))).toBeLessThan(5000);
  });
});

describe('a text that is cut', () => {
  const joined = (text: string, maxBytes: number): string =>
    cutText(text, maxBytes)
      .map((part) => part.before + part.text + part.after)
      .join('');

  it('is the text again when joined, and every part fits', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 4, max: 300 }), (text, maxBytes) => {
        expect(joined(text, maxBytes)).toBe(text);
        for (const part of cutText(text, maxBytes)) {
          expect(Buffer.byteLength(part.before + part.text + part.after)).toBeLessThanOrEqual(maxBytes);
          expect(part.text).toBe(part.text.trim());
        }
      }),
    );
  });

  it('never splits a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), fc.integer({ min: 4, max: 20 }), (text, maxBytes) => {
        for (const part of cutText(text, maxBytes)) expect(part.text.isWellFormed()).toBe(true);
      }),
    );
  });

  it('is cut at sentence ends, else between words, else anywhere', () => {
    const texts = (text: string, maxBytes: number) => cutText(text, maxBytes).map((part) => part.text);
    expect(texts('One is here. Two is there.\n\nThree?', 30)).toEqual(['One is here. Two is there.', 'Three?']);
    expect(texts('今日は晴れです。明日は雨です。', 30)).toEqual(['今日は晴れです。', '明日は雨です。']);
    expect(texts('one two three four', 8)).toEqual(['one two', 'three', 'four']);
    expect(texts('你好世界', 6)).toEqual(['你好', '世界']);
    expect(texts('abcdefghij', 4)).toEqual(['abcd', 'efgh', 'ij']);
  });
});
