import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { email } from '#contract/accounts/email.ts';
import { normalizedEmail } from '#domain/accounts/account.ts';
import { listed } from '#test/listed.ts';

const label = 'x'.repeat(63);

describe('the check of email addresses', () => {
  it.each([
    ['ada@example.com', 'ada@example.com'],
    ['Ada@Example.COM', 'ada@example.com'],
    ["o'neil@example.com", "o'neil@example.com"],
    ['ada+news@example.com', 'ada+news@example.com'],
    ["!#$%&'*+/=?^_`{|}~-@example.com", "!#$%&'*+/=?^_`{|}~-@example.com"],
    ['a.b.c@mail.example.co.uk', 'a.b.c@mail.example.co.uk'],
    ['ada@bücher.example', 'ada@xn--bcher-kva.example'],
    ['ada@BÜCHER.example', 'ada@xn--bcher-kva.example'],
    ['ada@xn--bcher-kva.example', 'ada@xn--bcher-kva.example'],
    ['ada@bu\u0308cher.example', 'ada@xn--bcher-kva.example'],
    ['ada@пример.рф', 'ada@xn--e1afmkfd.xn--p1ai'],
    ['ada@例え.テスト', 'ada@xn--r8jz45g.xn--zckzah'],
    ['ada@x--y.example', 'ada@x--y.example'],
    [`${'x'.repeat(64)}@example.com`, `${'x'.repeat(64)}@example.com`],
    [`ada@${label}.example`, `ada@${label}.example`],
  ])('accepts %s, normalized to %s', (written, known) => {
    expect(v.is(email, written)).toBe(true);
    expect(normalizedEmail(written)).toBe(known);
    expect(v.is(email, known)).toBe(true);
  });

  const noAddresses = [
    ...listed(
      'nobody @example.com ada@ ada@example ada@@example.com a@b@example.com .ada@example.com ada.@example.com',
    ),
    ...listed('a..b@example.com ada,bob@example.com ada@[192.168.0.1] ada@192.168.0.1 ada@-example.com'),
    ...listed('ada@example-.com ada@exa_mple.com ada@example.c ada@example.com:25 ada@example.com/x ada@%65xample.com'),
    '"a b"@example.com',
    'Ada <ada@example.com>',
    'ada@example.com\n',
    'ada@example.com\r\nBcc: eve@example.com',
    `${'x'.repeat(65)}@example.com`,
    `ada@${label}x.example`,
    'a b@example.com',
  ];
  const tooLong = `${'x'.repeat(64)}@${Array.from({ length: 7 }, () => 'ü'.repeat(25)).join('.')}.ex`;
  it.each([
    ...noAddresses.map((written) => [written, 'must be an email address']),
    ['müller@example.com', 'must contain only ASCII characters before the @'],
    ['用户@例え.テスト', 'must contain only ASCII characters before the @'],
    ['ada@b℀.example', 'must have a domain that can receive email'],
    ['ada@exam\uFFFDple.com', 'must have a domain that can receive email'],
    [`ada@${'ü'.repeat(60)}.example`, 'must have a domain that can receive email'],
    [tooLong, 'must have a domain that can receive email'],
  ])('rejects %j because it %s', (written, message) => {
    expect(v.safeParse(email, written).issues?.[0].message).toBe(message);
  });
});
