import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ruleSpans } from '#domain/analysis/pii-rules.ts';
import { personalData, redacted } from '#domain/analysis/redact.ts';
import { loadPhoneNumbers } from '#gateways/phone-numbers.ts';
import { anyText } from '#test/models/any-text.ts';

const isPhoneNumber = await loadPhoneNumbers();
const spansOf = (text: string, names: readonly string[] = []) =>
  personalData(
    text,
    names.map((name) => ({ type: 'PERSON', text: name })),
    isPhoneNumber,
  ).spans;

describe('what is redacted', () => {
  it('has nothing left that a rule finds, for any text and any quotes of a model', () => {
    const anyQuotes = fc.array(fc.tuple(fc.nat(400), fc.integer({ min: 1, max: 9 })), { maxLength: 6 });
    fc.assert(
      fc.property(anyText, anyQuotes, (text, quotes) => {
        const names = quotes.map(([start, length]) => text.slice(start, start + length));
        const spans = spansOf(text, names);
        expect(ruleSpans(redacted(text, spans), isPhoneNumber)).toEqual([]);
        spans.forEach((span, index) => expect(span.start).toBeGreaterThanOrEqual(spans[index - 1]?.end ?? 0));
        const isHidden = (at: number) => spans.some(({ start, end }) => start <= at && at < end);
        for (const { start, end } of ruleSpans(text, isPhoneNumber))
          expect(isHidden(start) && isHidden(end - 1)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('is a type in brackets for each item, and everything else as it was', () => {
    const text = 'Mail ada@example.org or +44 20 7946 0958; card 4111 1111 1111 1111, 👍.';
    expect(redacted(text, spansOf(text))).toBe('Mail [EMAIL] or [PHONE]; card [CREDIT_CARD], 👍.');
  });

  it('is one item where two overlap, with the type and the source of the longer', () => {
    const text = 'Write to Ada Lovelace ada@example.org now';
    const [endsInside, around] = [text.slice(13, 25), text.slice(9, -4)];
    expect(spansOf(text, [endsInside])).toEqual([{ type: 'EMAIL', source: 'rule', start: 13, end: 37 }]);
    expect(spansOf(text, [around])).toEqual([{ type: 'PERSON', source: 'model', start: 9, end: 37 }]);
    expect(redacted(text, spansOf(text, [around]))).toBe('Write to [PERSON] now');
    const url = 'https://example.org/?mail=ada@example.org';
    expect(spansOf(url)).toEqual([{ type: 'URL', source: 'rule', start: 0, end: url.length }]);
  });

  it('is searched again, as hiding one thing may show another', () => {
    const text = 'ada@example.org김철수는. 김철수';
    expect(redacted(text, spansOf(text, ['김철수']))).toBe('[EMAIL][PERSON]. [PERSON]');
  });
});
