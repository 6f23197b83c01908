import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { email } from '#contract/accounts/email.ts';
import { normalizedEmail } from '#domain/accounts/account.ts';

const label = 'x'.repeat(63);

describe('an email address', () => {
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
  ])('%s is one, known as %s', (written, known) => {
    expect(v.is(email, written)).toBe(true);
    expect(normalizedEmail(written)).toBe(known);
    expect(v.is(email, known)).toBe(true);
  });

  const rule = 'must be an email address';
  it.each([
    ['nobody', rule],
    ['@example.com', rule],
    ['ada@', rule],
    ['ada@example', rule],
    ['ada@@example.com', rule],
    ['a@b@example.com', rule],
    ['.ada@example.com', rule],
    ['ada.@example.com', rule],
    ['a..b@example.com', rule],
    ['"a b"@example.com', rule],
    ['a b@example.com', rule],
    ['ada,bob@example.com', rule],
    ['Ada <ada@example.com>', rule],
    ['ada@example.com\n', rule],
    ['ada@example.com\r\nBcc: eve@example.com', rule],
    ['ada@[192.168.0.1]', rule],
    ['ada@192.168.0.1', rule],
    ['ada@-example.com', rule],
    ['ada@example-.com', rule],
    ['ada@exa_mple.com', rule],
    ['ada@example.c', rule],
    ['ada@example.com:25', rule],
    ['ada@example.com/x', rule],
    ['ada@%65xample.com', rule],
    [`${'x'.repeat(65)}@example.com`, rule],
    [`ada@${label}x.example`, rule],
    ['müller@example.com', 'must have only ASCII characters before the @'],
    ['用户@例え.テスト', 'must have only ASCII characters before the @'],
    ['ada@b℀.example', 'must have a domain that mail can be sent to'],
    ['ada@exam\uFFFDple.com', 'must have a domain that mail can be sent to'],
    [`ada@${'ü'.repeat(60)}.example`, 'must have a domain that mail can be sent to'],
    [
      `${'x'.repeat(64)}@${Array.from({ length: 7 }, () => 'ü'.repeat(25)).join('.')}.ex`,
      'must have a domain that mail can be sent to',
    ],
  ])('%j is none: it %s', (written, message) => {
    expect(v.safeParse(email, written).issues?.[0].message).toBe(message);
  });
});
