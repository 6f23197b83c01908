import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { addressIn, explicitAddressIn, isName, keyName } from '#contract/accounts/names.ts';
import { userKey } from '#repositories/accounts/account-items.ts';
import { setInRow } from '#test/database/rows.ts';
import { mailsTo, tokenIn } from '#test/requests/accounts/inbox.ts';
import { cookieOf, useTestService } from '#test/service/service.ts';

const real = [
  'Ada',
  "O'Neil",
  'O’Neil',
  'Jean-Luc',
  'J. R. R. Tolkien',
  'J.R.R. Tolkien',
  'J.R.Smith',
  'Dr. Müller',
  'Dr.Li',
  'Ms.Ng',
  'St.John',
  'J.Li',
  'B.Tech Ravi',
  'St. John',
  'Ravi Kumar, B.Com',
  'Ada Lovelace, M.Sc.',
  'Ph.D. Jane Doe',
  'Martin Luther King Jr.',
  'Sammy Davis Jr.Esq',
  'John Smith & Sons, Inc.',
  'Nguyễn Thị Minh Khai',
  'Nguye\u0302\u0303n',
  'Björk Guðmundsdóttir',
  'Łukasz Żółć',
  'Ἀριστοτέλης',
  'Лев Толстой',
  'محمد بن سلمان',
  'علی‌رضا حسینی',
  'عائشة',
  'דָּוִד בֶּן־גּוּרִיוֹן',
  'สมชาย ใจดี',
  'अर्जुन शर्मा',
  'क्‍ष',
  'മോഹന്‍',
  'শ্রী রবীন্দ্রনাথ',
  'ක්‍රිෂ්ණ',
  '山田 太郎',
  '山田　太郎',
  '葛\u{E0100}城',
  '王秀英',
  '김민준',
  'ᠮᠣᠩᠭᠣᠯ',
  'Ada 🗝',
  '👩‍💻 Ada ❤️',
  '👩🏽‍🚀',
  '🗝'.repeat(64),
  'X Æ A-12',
  '7 of 9',
  'production',
  'web shop',
  'node.js',
  'v1.2.3',
  'v1.2',
  'nightly (CI)',
  'key #2: staging',
  'a/b test',
  'and/or',
  '50 % off',
  'Renamed... twice',
  'Müller & Co.KG',
  'will.i.am',
  'Anna.Kim',
  'Wei.Li',
  'John.Ng',
  'data: of the year',
  'Room 1️⃣',
  'Ada 🏴󠁧󠁢󠁥󠁮󠁧󠁿',
  'ᠬᠠᠭ\u180Eᠠ',
];

const keyNames = [
  'shop.example.com',
  'main.py',
  '10.0.0.1 key',
  '10.0.0.1:8080',
  'my-app.dev',
  'R&D @ Acme',
  'Training data:2026',
  '@support',
  'app/v1.2?beta',
];

const keyLinks = ['https://evil.example/x', 'www.evil', 'WWW2.evil.com', 'key of ada@example.com', 'ａda＠example.com'];

const links = [
  'https://evil.example/x',
  'HTTP://EVIL',
  'evil.example',
  'evil.com',
  'Evil.Com',
  'your prize: evil.com!',
  'evil.com/login',
  'paypal-security.co.uk',
  'a.b.evil.io',
  't.co/abc',
  'x.me/#y',
  'www.evil',
  'www2.evil',
  'ada@example.com',
  '@support',
  'Ada <ada@example>',
  'mailto:ada',
  'javascript:alert(1)',
  'tel:+1800',
  '192.168.0.1',
  '10.0.0.1:8080',
  'evil．com',
  'ｅｖｉｌ.ｃｏｍ',
  'evil。com',
  'evil｡com',
  'evil․com',
  'пример.рф',
  '例え.中国',
  'xn--80ak6aa92e.xn--p1ai',
  'bücher.de',
  'see bit.ly/2x',
  'win.click',
  'x.xyz',
  'file.zip',
  'm\u0301.evil.top',
  'wei.li',
  'anna.kim',
  'evil.Li',
  'Evil.Li/x',
  'Wei.Li?x',
  'Wei.Li:80',
  'node.js/x',
  'evil.unlisted/x',
  'evil.unlisted:443',
  'data:text',
  'evil.will.i.am',
];

const hidden = [
  'Ada\nVisit us',
  'Ada\r\nBcc: x',
  'Ada\tB',
  'Ada\u0000',
  'Ada\u007F',
  'Ada\u0085B',
  'Ada\u2028B',
  'Ada\u2029B',
  '\u202Eada',
  'Ada \u202Agpj',
  '\u2066Ada\u2069',
  'Ada\u200E',
  '\u200FAda',
  '\u061CAda',
  'A\u200Bda',
  'A\u200Dda',
  'A\u200Cda',
  '\u200DAda',
  'أ\u200C\u200Cب',
  'A\uFEFFda',
  'A\u2060da',
  'A\u00ADda',
  'A\u034Fda',
  'A\u3164da',
  'A\u115Fda',
  'A\uFE0Fda',
  'A\u{E0041}da',
  'A\u180Eda',
  'ᠬᠠᠭ\u180E\u180Eᠠ',
  '🏴\u{E0068}\u{E0069}',
  'A\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}',
  '1\uFE0F',
  'A\uFFF9da',
  'A\uE000da',
  'A\uFFFFda',
];

const blank = [' ', '   ', '\u00A0', '\u3000', '\u2800', '\u0301'];

const service = useTestService();

const register = (email: string, name: string) =>
  service.call('POST', '/api/auth/register', { body: { email, name, password_hash: 'a quiet river bank' } });
const google = async (email: string, name: string) => {
  const { token } = await service.post('/_local/identity-token', { email, name });
  return service.call('POST', '/api/auth/google', { body: { token } });
};

describe('a name', () => {
  it.each(real)('is accepted for people and keys: %s', (name) => {
    expect(isName(name)).toBe(true);
  });

  it.each([...links, ...hidden, ...blank, 'x'.repeat(65)])('is refused if deceptive: %j', (name) => {
    expect(isName(name)).toBe(false);
  });

  it.each(keyNames)('of a key may contain text that is forbidden in emails: %s', (name) => {
    expect(v.is(keyName, name)).toBe(true);
  });

  it.each([...keyLinks, ...hidden, ...blank, 'x'.repeat(65)])('of a key is refused if deceptive: %j', (name) => {
    expect(v.is(keyName, name)).toBe(false);
  });

  it.each(['a-', '1.', 'a.', 'x@', ':/', '\u0301'])(
    'is searched for addresses within a second, even for a megabyte of %j',
    (part) => {
      const text = part.repeat(500_000);
      const before = process.cpuUsage().user;
      expect([addressIn(text), explicitAddressIn(text)]).toEqual([expect.any(String), expect.any(String)]);
      expect(process.cpuUsage().user - before).toBeLessThan(1_000_000);
    },
  );

  it('is refused with the offending part', async () => {
    const { cookie } = await service.person();
    for (const [name, rule] of [
      ['Müller & co.kg', 'must not look like a link or an address ("co.kg"); put a space after the dot'],
      ['Ada of Evil.Com', 'must not look like a link or an address ("Evil.Com"); put a space after the dot'],
      ['see ada@example', 'must not look like a link or an address ("ada@example")'],
      ['A\u200Bda', 'contains an invisible character (U+200B)'],
      ['\u200FAda', 'contains a direction character (U+200F)'],
      ['Ada\uE000', 'contains a character without a meaning (U+E000)'],
    ] as const) {
      const { status, body } = await service.call('PATCH', '/api/auth/me', { cookie, body: { name } });
      expect([status, body.detail]).toEqual([400, `name ${rule}.`]);
    }
  });

  it('is refused by the same rule in every route that accepts one', async () => {
    const { cookie, keyId } = await service.person();
    const breaking = [
      ['Ada\nVisit us', 'contains a control character (U+000A)'],
      ['www.evil', 'must not look like a link or an address ("www.evil"); put a space after the dot'],
      ['\u3000', 'must have a visible character'],
      ['x'.repeat(65), 'must have at most 64 characters'],
    ] as const;
    for (const [name, rule] of breaking) {
      const responses = [
        await register('somebody@example.com', name),
        await service.call('PATCH', '/api/auth/me', { cookie, body: { name } }),
        await service.call('POST', '/api/keys', { cookie, body: { name } }),
        await service.call('PATCH', `/api/keys/${keyId}`, { cookie, body: { name } }),
      ];
      for (const { status, body } of responses) expect([status, body.detail]).toEqual([400, `name ${rule}.`]);
    }
  });

  it('from the identity provider is cleaned or replaced by the address, and never refused', async () => {
    const names = [
      ['Ada\u202E  \nLovelace\u200B', 'Ada Lovelace'],
      ['x'.repeat(300), 'x'.repeat(64)],
      ['Visit evil.com', 'cleaned-2'],
      ['\u200B', 'cleaned-3'],
    ];
    for (const [index, [name = '', shown]] of names.entries()) {
      const { status, body } = await google(`cleaned-${index}@example.com`, name);
      expect([status, body.data.name]).toEqual([200, shown]);
    }
    const { body } = await google('evil.com@example.com', 'evil.com');
    expect(body.data.name).toBe('Member');
  });
});

const forgot = (email: string) => service.call('POST', '/api/auth/forgot-password', { body: { email } });
const reset = (token: string) =>
  service.call('POST', '/api/auth/reset-password', { body: { token, newPassword: 'another river bank' } });

/** Ports and tokens may contain any digits. */
const withoutLinks = (text: string): string => text.replaceAll(/https?:\S+/g, '');

describe('an email', () => {
  it('contains no name until the address is confirmed', async () => {
    const email = 'never-asked@example.com';
    await register(email, 'Call 555-0100 now, you won');
    await forgot(email);
    const mails = await mailsTo(service, email);
    expect(mails.map(({ subject }) => subject)).toEqual(['Reset your password', 'Confirm your email address']);
    for (const { text, subject } of mails) {
      expect(text).toMatch(/^Hello,\n/);
      expect(withoutLinks(text) + subject).not.toContain('555');
    }
  });

  it('greets the owner by name after the address is confirmed', async () => {
    const { email } = await service.person();
    await forgot(email);
    expect((await mailsTo(service, email))[0]?.text).toMatch(/^Hello Person \d+,\n/);
  });

  it('ignores a name stored before the naming rule existed', async () => {
    const { id, email } = await service.person();
    const name = 'friend,\n\nclaim your prize at https://evil.example/x\n\nAda';
    await setInRow('accounts', userKey(id), 'name', name);
    await forgot(email);
    const [mail] = await mailsTo(service, email);
    expect(mail?.text).toMatch(/^Hello,\n/);
    expect(mail?.text).not.toContain('evil.example');
    await reset(tokenIn(mail));
    expect((await mailsTo(service, email))[0]?.text).not.toContain('evil.example');
  });

  it('never contains the name under which a stranger registered the address', async () => {
    const email = 'owner-of-this@example.com';
    const stranger = await register(email, 'Call 555-0100 now');
    await forgot(email);
    await reset(tokenIn((await mailsTo(service, email))[0]));
    const body = { email, password: 'another river bank' };
    const owner = await service.call('POST', '/api/auth/login', { body });
    expect(owner.body.data.name).toBe('owner-of-this');
    expect((await service.call('GET', '/api/auth/me', { cookie: cookieOf(stranger) })).status).toBe(401);
    await forgot(email);
    for (const { text } of await mailsTo(service, email)) expect(withoutLinks(text)).not.toContain('555');
  });
});
