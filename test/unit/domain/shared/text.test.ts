import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanText, TextCleaner } from '#domain/shared/text.ts';

/** Text of NUL, lone surrogates, pairs and letters. */
const odd = fc
  .array(fc.constantFrom('\0', '\ud800', '\udbff', '\udc00', '\udfff', '\ud83d\ude00', 'a', '語', '\ufffd'), {
    maxLength: 12,
  })
  .map((units) => units.join(''));

describe("a model's text", () => {
  it('has U+FFFD for each NUL and lone surrogate, and is otherwise unchanged', () => {
    expect(cleanText('\0a\ud800b\udc00c\ud83d\ude00')).toBe('\ufffda\ufffdb\ufffdc\ud83d\ude00');
    expect(cleanText('Grüß dich, 日本 😀\n')).toBe('Grüß dich, 日本 😀\n');
  });

  it('is the same for any chunks', () => {
    const property = fc.property(odd, fc.array(fc.nat(24), { maxLength: 4 }), (text, cuts) => {
      const ends = [0, ...cuts.map((cut) => Math.min(cut, text.length)), text.length].toSorted((a, b) => a - b);
      const cleaner = new TextCleaner();
      const pieces = ends.slice(1).map((end, index) => cleaner.push(text.slice(ends[index], end)));
      expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
      expect(pieces.join('') + cleaner.rest()).toBe(cleanText(text));
    });
    fc.assert(property);
  });
});
