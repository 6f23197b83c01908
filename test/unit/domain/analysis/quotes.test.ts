import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entityTypes } from '#contract/analysis/names.ts';
import { mentionsOf } from '#domain/analysis/quotes.ts';
import { analysisBy, reply } from '#test/models/analysis-model.ts';
import { anyText } from '#test/models/any-text.ts';

const sliceIn = {
  utf16: (text: string, start: number, end: number) => text.slice(start, end),
  code_point: (text: string, start: number, end: number) => Array.from(text).slice(start, end).join(''),
} as const;

/** Quotes of a text and of nothing, with and without whitespace, and half characters. */
const withQuotes = anyText.chain((text) => {
  const points = Array.from(text);
  const place = fc.nat(points.length);
  const own = fc.tuple(place, fc.nat(8)).map(([start, length]) => points.slice(start, start + length).join(''));
  const foreign = fc.oneof(fc.string({ unit: 'binary', maxLength: 5 }), fc.constantFrom('', ' ', '\ud83d', '\udc69'));
  const quotes = fc.array(fc.oneof({ weight: 4, arbitrary: own }, foreign), { maxLength: 12 });
  return fc.record({ text: fc.constant(text), quotes, type: fc.constantFrom(...entityTypes) });
});

describe("a quote's offset", () => {
  it.each(['utf16', 'code_point'] as const)(
    'selects its quote in %s, for any text and any quotes',
    async (offsetUnit) => {
      const property = fc.asyncProperty(withQuotes, async ({ text, quotes, type }) => {
        const entities = quotes.map((quote) => ({ text: quote, type }));
        const { analyze } = analysisBy(() => reply({ entities, key_phrases: quotes }));
        const found = await analyze({ text, analyses: ['entities', 'key_phrases'], offsetUnit });
        const words = new Set(quotes.map((quote) => quote.trim()));
        for (const { text: quote, start, end } of [...found.entities!, ...found.keyPhrases!]) {
          expect(sliceIn[offsetUnit](text, start, end)).toBe(quote);
          expect(words).toContain(quote);
        }
        const missing = quotes.filter((quote) => {
          const trimmed = quote.trim();
          return trimmed === '' || !trimmed.isWellFormed() || !text.includes(trimmed);
        });
        expect(found.unlocated).toBe(2 * missing.length);
      });
      await fc.assert(property);
    },
  );

  it('exists once for each mention of the same words, in the order of the text', async () => {
    const text = 'Ada met Bob. Bob liked Ada, and Adam did not.';
    const entities = ['Bob', 'Ada', 'Ada'].map((name) => ({ text: name, type: 'PERSON' }));
    const { analyze } = analysisBy(() => reply({ entities }));
    const found = await analyze({ text, analyses: ['entities'] });
    const person = { type: 'PERSON', score: null };
    expect(found).toEqual({
      entities: [
        { text: 'Ada', start: 0, end: 3, ...person },
        { text: 'Bob', start: 8, end: 11, ...person },
        { text: 'Bob', start: 13, end: 16, ...person },
        { text: 'Ada', start: 23, end: 26, ...person },
      ],
      unlocated: 0,
      model: 'svc-instruct',
      credits: 5,
    });
  });
});

it.each([
  ['Ada', 'Ada and Adam', [0]],
  ['Bahn', 'Bahnhof, Autobahn und Bahndamm', [0, 22]],
  ['Bahn', 'Die Bahn im Bahnhof', [4]],
  ['東京', '東京都と東京', [0, 4]],
  ['e\u0301', 'cafe\u0301', [3]],
  ['cafe', 'cafe\u0301 cafe', [6]],
  ['👩', '👨‍👩‍👧', [3]],
  ['aa', 'aaaa aa', [5]],
  ['C++', 'C++ or C', [0]],
  ['Ada', 'Bob', []],
  ['', 'Bob', []],
])('a mention of %j in %j is a whole word if one exists', (quote, text, starts) => {
  expect(mentionsOf(quote, text).map(({ start }) => start)).toEqual(starts);
});
