import fc from 'fast-check';
import { countTokens } from 'gpt-tokenizer/encoding/cl100k_base';
import { describe, expect, it } from 'vitest';
import { creditCards, emails, mayHavePhones } from '#domain/analysis/pii-rules.ts';
import { folded, plainTexts } from '#domain/analysis/pii-text.ts';
import { bpeTokenizer } from '#gateways/tokenizer.ts';
import { anyText } from '#test/models/any-text.ts';
import { foldedPieces, mailParts } from '#test/models/hostile/slow-ways.ts';

const sign = fc.constantFrom(
  ...Array.from("aB1٣é東がー김〇．。，-.@'`´’ \n\u00a0\u200b\u00ad\u0301\ufe0f_!\u{1d7d8}😀\u{e0020}ßİΣſK"),
  '\ud83d',
  '.org',
);
const text = fc.oneof(
  anyText,
  fc.array(sign, { maxLength: 40 }).map((all) => all.join('')),
);
const always = <Given>(property: fc.IProperty<Given>) => fc.assert(property, { numRuns: 500 });

describe('what is found quickly is what is found slowly, in any text', () => {
  it('of folded letters and their places', () => {
    always(
      fc.property(text, (given) => {
        const [quick, slow] = [folded(given), foldedPieces(given)];
        expect(quick.text).toBe(slow.map(({ fold }) => fold).join(''));
        let unit = 0;
        for (const { fold, start, end } of slow) {
          const isEach = fold.length === end - start;
          for (let at = 0; at < fold.length; at += 1, unit += 1) {
            const found = quick.spanOf({ start: unit, end: unit + 1 });
            expect(isEach ? [start, start + at] : [start]).toContain(found.start);
            expect(isEach ? [end, start + at + 1] : [end]).toContain(found.end);
            if (at === 0) expect(quick.unitAt(start)).toBe(unit);
          }
        }
      }),
    );
  });

  it('of addresses of mail', () => {
    always(
      fc.property(text, text, (one, other) => {
        const [before, after] = [one.replaceAll(/[@"]/g, ''), other.replaceAll(/[@[]/g, '')];
        const [found] = [...emails(`${before}@${after}`)];
        const { local, domains } = mailParts(before, after);
        const isNamed = domains.some((domain) => /\.(?:xn--[a-z0-9-]+|\p{L}[\p{L}\p{M}]+)/iu.test(domain));
        expect(found !== undefined).toBe(local !== '' && isNamed);
        if (!found) return;
        expect(found.start).toBe(before.length - local.length);
        const ends = domains.map((domain) => domain.startsWith(after.slice(0, found.end - before.length - 1)));
        expect(ends).toContain(true);
      }),
    );
  });

  it('of cards, with and without the digits of other scripts beside them', () => {
    const digits = fc.string({ unit: fc.constantFrom(...Array.from('01234-. a')), maxLength: 60 });
    const card = fc.constantFrom('4111 1111 1111 1111', '4111111111111111', '5500-0000-0000-0004');
    always(
      fc.property(
        fc.array(fc.oneof(digits, card), { maxLength: 6 }).map((all) => all.join(' ')),
        (given) => {
          expect([...creditCards(given)]).toEqual([...creditCards(`${given}; ٣`)]);
        },
      ),
    );
  });

  it('of what the rules read, and whether there may be a phone number', () => {
    always(
      fc.property(text, (given) => {
        expect(plainTexts(given).length).toBe(/\p{Cf}/u.test(given) ? 2 : 1);
        expect(plainTexts(given)[0]!.text).not.toMatch(/[\p{Cf}\uff0b\uff0d-\uff1a\uff20-\uff3a]/u);
        expect(mayHavePhones(given)).toBe(/[+＋]|\p{Nd}{2}/u.test(given));
      }),
    );
  });

  it('of tokens', async () => {
    const short = text.map((given) => given.slice(0, 200).toWellFormed());
    const counted = fc.asyncProperty(short, async (given) => {
      expect(await bpeTokenizer.count(given)).toBe(countTokens(given));
    });
    await fc.assert(counted, { numRuns: 500 });
  });
});
