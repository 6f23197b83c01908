import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ruleSpans } from '#domain/analysis/pii-rules.ts';
import { personalData, redacted } from '#domain/analysis/redact.ts';
import { loadPhoneNumbers } from '#gateways/phone-numbers.ts';
import { listed } from '#test/listed.ts';
import { anyText } from '#test/models/any-text.ts';

const isPhoneNumber = await loadPhoneNumbers();
const spansOf = (text: string, names: readonly string[] = []) => {
  const quotes = names.map((name) => ({ type: 'PERSON' as const, text: name }));
  return personalData(text, quotes, isPhoneNumber).spans;
};
const redact = (text: string): string => redacted(text, spansOf(text));
const found = (text: string) =>
  ruleSpans(text, isPhoneNumber).map(({ type, start, end }) => `${type} ${text.slice(start, end)}`);

it.each([
  ['Write to ada.l+x@mail.example.org.', ['EMAIL ada.l+x@mail.example.org']],
  ['<ada@example.org>, or "bob@x.co"', ['EMAIL ada@example.org', 'EMAIL bob@x.co']],
  ['请写信到ada@example.org谢谢', ['EMAIL ada@example.org']],
  ['문의는 ada@example.org으로', ['EMAIL ada@example.org']],
  ['用户@例子.中国', ['EMAIL 用户@例子.中国']],
  ['jörg@müller.de', ['EMAIL jörg@müller.de']],
  ['почта@пример.рф', ['EMAIL почта@пример.рф']],
  ['a@b, @ada, ada@, ada@host, ada@1.2', []],
  ['Call +1 (212) 555-0187 now', ['PHONE +1 (212) 555-0187']],
  ['+44 20 7946 0958, +33612345678', ['PHONE +44 20 7946 0958', 'PHONE +33612345678']],
  ['0049 151 1234567', ['PHONE 0049 151 1234567']],
  ['＋３３６１２３４５６７８', ['PHONE ＋３３６１２３４５６７８']],
  ['+٩٦٦٥٠١٢٣٤٥٦٧', ['PHONE +٩٦٦٥٠١٢٣٤٥٦٧']],
  ['+999 123 4567 89, +1, 1+2', []],
  ['4111 1111 1111 1111', ['CREDIT_CARD 4111 1111 1111 1111']],
  ['5500-0000-0000-0004!', ['CREDIT_CARD 5500-0000-0000-0004']],
  ['378282246310005 12/27', ['CREDIT_CARD 378282246310005']],
  ['room 12 card 4111111111111111 123', ['CREDIT_CARD 4111111111111111']],
  ['4111 1111 1111 1112', []],
  ['1'.repeat(5000), []],
  ['DE89 3704 0044 0532 0130 00 is mine', ['IBAN DE89 3704 0044 0532 0130 00']],
  ['(GB29NWBK60161331926819)', ['IBAN GB29NWBK60161331926819']],
  ['gb29 nwbk 6016 1331 9268 19', ['IBAN gb29 nwbk 6016 1331 9268 19']],
  ['DE88 3704 0044 0532 0130 00', []],
  ['at 192.0.2.1.', ['IP_ADDRESS 192.0.2.1']],
  ['10.0.0.1:8080', ['IP_ADDRESS 10.0.0.1']],
  [
    '2001:db8::1, [::1] and ::ffff:192.0.2.7',
    ['IP_ADDRESS 192.0.2.7', 'IP_ADDRESS 2001:db8::1', 'IP_ADDRESS ::1', 'IP_ADDRESS ::ffff:192.0.2.7'],
  ],
  ['300.1.1.1, 1.2.3, 1.2.3.4.5, 10:30:00, std::abs, a::b, ::', []],
  ['See https://example.org/a?b=c#d.', ['URL https://example.org/a?b=c#d']],
  ['(www.example.org)', ['URL www.example.org']],
  ['https://en.wikipedia.org/wiki/River_(film)', ['URL https://en.wikipedia.org/wiki/River_(film)']],
  ['http://[2001:db8::1]/x', ['IP_ADDRESS 2001:db8::1', 'URL http://[2001:db8::1]/x']],
  ['https://, www., http://...', []],
])('the rules find the expected data in %j', (text, expected) => {
  expect(found(text)).toEqual(expected);
});

const separators = [
  ['a narrow space', '\u202f'],
  ['a thin space', '\u2009'],
  ['a figure space', '\u2007'],
  ['a tab', '\t'],
  ['a line break', '\n'],
  ['a line break of Windows', '\r\n'],
  ['a hyphen that does not break', '\u2011'],
  ['a dash', '\u2013'],
  ['a minus', '\u2212'],
  ['a dot', '.'],
  ['a middle dot', '\u00b7'],
  ['a slash', '/'],
  ['a dash between spaces', ' - '],
  ['a space of no width', '\u200b'],
  ['a soft hyphen', '\u00ad'],
  ['a joiner', '\u2060'],
] as const;

describe('the rules find a whole number', () => {
  it.each(separators)('with %s between its groups', (_, separator) => {
    const joined = (number: string): string => number.replaceAll(' ', separator);
    expect(redact(`a ${joined('4111 1111 1111 1111')}, b`)).toBe('a [CREDIT_CARD], b');
    expect(redact(`a ${joined('DE89 3704 0044 0532 0130 00')}, b`)).toBe('a [IBAN], b');
    expect(redact(`a ${joined('+44 20 7946 0958')}, b`)).toBe('a [PHONE], b');
  });
});

describe('the rules for personal data', () => {
  it.each([
    ['IBANDE89370400440532013000', 'IBAN[IBAN]'],
    ['IBANDE89 3704 0044 0532 0130 00 is mine', 'IBAN[IBAN] is mine'],
    ['DE 89 3704 0044 0532 0130 00', '[IBAN]'],
    ['DE 89370400440532013000', '[IBAN]'],
    ['DE 8937 0400 4405 3201 3000', '[IBAN]'],
    ['DE89-37040044-0532013000', '[IBAN]'],
    ['ＤＥ８９　３７０４　００４４　０５３２　０１３０　００', '[IBAN]'],
    ['1000000000000008', '[CREDIT_CARD]'],
    ['4111\u200b1111\u200b1111\u200b1111\u200b2', '[CREDIT_CARD]\u200b2'],
    ['ada@example.org¹ and bob@example.org2.', '[EMAIL]¹ and [EMAIL]2.'],
    ['ada＠example．org', '[EMAIL]'],
    ['ada@exam\u00adple.org', '[EMAIL]'],
    ['a\u200bda@example.org\u200bnow', '[EMAIL]'],
    ['"ada lovelace"@example.org', '[EMAIL]'],
    ['"a\\"b@c"@example.org', '[EMAIL]'],
    ['ada@[192.0.2.1]', '[EMAIL]'],
    ['ada@[IPv6:2001:db8::1]', '[EMAIL]'],
    [`${'a'.repeat(70)}@example.org`, '[EMAIL]'],
    ['IP:2001:db8::1: up', 'IP:[IP_ADDRESS]: up'],
    [':2001:db8::1...', ':[IP_ADDRESS]...'],
    [`...192.0.2.1${'.'.repeat(46)}`, `...[IP_ADDRESS]${'.'.repeat(46)}`],
    ['dead:beef::cafe, fe80::, ::ffff', '[IP_ADDRESS], [IP_ADDRESS], [IP_ADDRESS]'],
    ['https://x.org/?a[0]=b&t[key]=secret', '[URL]'],
    ['https://x.org/?q={secret}&z=1', '[URL]'],
    ['[x](https://x.org) and [https://x.org]', '[x]([URL]) and [[URL]]'],
    ['_https://x.org_ __www.x.org__', '_[URL]_ __[URL]__'],
    ['seehttps://x.org', 'see[URL]'],
    ['http://"a"@x.org', '[URL]'],
  ])('match %j', (text, expected) => {
    expect(redact(text)).toBe(expected);
  });

  it.each(['We met at 12 with some more very nice folk', 'a::b, ab::cd', 'Version 1.2.3, 2026-11-23 10:30:00'])(
    'do not match %j',
    (text) => expect(redact(text)).toBe(text),
  );
});

const pieces = fc.oneof(
  fc.constantFrom(
    ...listed('ada@example.org ada@[192.0.2.1] IBAN DE 192.0.2.1 2001:db8::1 https://x.org/?a[0]=b www.x.org'),
  ),
  fc.constantFrom('"a b"@x.org', '+44 20 7946 0958', '0049 151 1234567', '4111 1111 1111 1111', 'Ada'),
  fc.constantFrom(
    ...listed('http:// [ ] " @ . : _ 1 00 + \u00ad ＠ ．  １'),
    'DE89 3704 0044 0532 0130 00',
    '\u200b',
    ' ',
  ),
  fc.constantFrom(...separators.map(([, separator]) => separator)),
);

it('redaction is idempotent, for any text', () => {
  const property = fc.property(fc.array(pieces, { maxLength: 20 }), (all) => {
    const once = redact(all.join(''));
    expect(redact(once)).toBe(once);
  });
  fc.assert(property, { numRuns: 500 });
});

describe('a redacted text', () => {
  it('contains no match of a rule, for any text and any quotes of a model', () => {
    const anyQuotes = fc.array(fc.tuple(fc.nat(400), fc.integer({ min: 1, max: 9 })), { maxLength: 6 });
    const property = fc.property(anyText, anyQuotes, (text, quotes) => {
      const names = quotes.map(([start, length]) => text.slice(start, start + length));
      const spans = spansOf(text, names);
      expect(ruleSpans(redacted(text, spans), isPhoneNumber)).toEqual([]);
      spans.forEach((span, index) => expect(span.start).toBeGreaterThanOrEqual(spans[index - 1]?.end ?? 0));
      const isHidden = (at: number) => spans.some(({ start, end }) => start <= at && at < end);
      for (const { start, end } of ruleSpans(text, isPhoneNumber))
        expect(isHidden(start) && isHidden(end - 1)).toBe(true);
    });
    fc.assert(property, { numRuns: 500 });
  });

  it('has a type in brackets for each item, and is otherwise unchanged', () => {
    const text = 'Mail ada@example.org or +44 20 7946 0958; card 4111 1111 1111 1111, 👍.';
    expect(redacted(text, spansOf(text))).toBe('Mail [EMAIL] or [PHONE]; card [CREDIT_CARD], 👍.');
  });

  it('has overlapping items merged, with the type and the source of the longer one', () => {
    const text = 'Write to Ada Lovelace ada@example.org now';
    const [endsInside, around] = [text.slice(13, 25), text.slice(9, -4)];
    expect(spansOf(text, [endsInside])).toEqual([{ type: 'EMAIL', source: 'rule', start: 13, end: 37 }]);
    expect(spansOf(text, [around])).toEqual([{ type: 'PERSON', source: 'model', start: 9, end: 37 }]);
    expect(redacted(text, spansOf(text, [around]))).toBe('Write to [PERSON] now');
    const url = 'https://example.org/?mail=ada@example.org';
    expect(spansOf(url)).toEqual([{ type: 'URL', source: 'rule', start: 0, end: url.length }]);
  });

  it('is searched again, because hiding one item may reveal another', () => {
    const text = 'ada@example.org김철수는. 김철수';
    expect(redacted(text, spansOf(text, ['김철수']))).toBe('[EMAIL][PERSON]. [PERSON]');
  });
});
