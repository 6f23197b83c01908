import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { personalData, redacted } from '#domain/analysis/redact.ts';
import { loadPhoneNumbers } from '#gateways/phone-numbers.ts';

const isPhoneNumber = await loadPhoneNumbers();
const redact = (text: string): string => redacted(text, personalData(text, [], isPhoneNumber).spans);

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

describe('a number is found whole', () => {
  it.each(separators)('with %s between its groups', (_, separator) => {
    const joined = (number: string): string => number.replaceAll(' ', separator);
    expect(redact(`a ${joined('4111 1111 1111 1111')}, b`)).toBe('a [CREDIT_CARD], b');
    expect(redact(`a ${joined('DE89 3704 0044 0532 0130 00')}, b`)).toBe('a [IBAN], b');
    expect(redact(`a ${joined('+44 20 7946 0958')}, b`)).toBe('a [PHONE], b');
  });
});

describe('personal data is found', () => {
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
    [
      '...192.0.2.1..............................................',
      '...[IP_ADDRESS]..............................................',
    ],
    ['dead:beef::cafe, fe80::, ::ffff', '[IP_ADDRESS], [IP_ADDRESS], [IP_ADDRESS]'],
    ['https://x.org/?a[0]=b&t[key]=secret', '[URL]'],
    ['https://x.org/?q={secret}&z=1', '[URL]'],
    ['[x](https://x.org) and [https://x.org]', '[x]([URL]) and [[URL]]'],
    ['_https://x.org_ __www.x.org__', '_[URL]_ __[URL]__'],
    ['seehttps://x.org', 'see[URL]'],
    ['http://"a"@x.org', '[URL]'],
  ])('in %j', (text, expected) => {
    expect(redact(text)).toBe(expected);
  });

  it.each(['We met at 12 with some more very nice folk', 'a::b, ab::cd', 'Version 1.2.3, 2026-11-23 10:30:00'])(
    'not in %j',
    (text) => expect(redact(text)).toBe(text),
  );
});

const pieces = fc.constantFrom(
  'ada@example.org',
  '"a b"@x.org',
  'ada@[192.0.2.1]',
  '+44 20 7946 0958',
  '0049 151 1234567',
  '4111 1111 1111 1111',

  'DE89 3704 0044 0532 0130 00',
  'IBAN',
  'DE',
  '192.0.2.1',
  '2001:db8::1',
  'https://x.org/?a[0]=b',
  'www.x.org',
  'http://',
  '[',
  ']',
  '"',
  '@',
  '.',
  ':',
  '_',
  '1',
  '00',
  '+',
  '\u00ad',
  '\u200b',
  '＠',
  '．',
  '１',
  ' ',
  'Ada',
  ...separators.map(([, separator]) => separator),
);

it('redaction is idempotent, for any text', () => {
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 20 }), (all) => {
      const once = redact(all.join(''));
      expect(redact(once)).toBe(once);
    }),
    { numRuns: 500 },
  );
});
