import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { isName, keyName } from '#contract/accounts/names.ts';
import { addressIn, explicitAddressIn } from '#contract/accounts/reads-as-address.ts';
import { blank, hidden, keyLinks, keyNames, links, nameCalls, real } from '#test/requests/odd-names.ts';
import { useTestService } from '#test/service/service.ts';

const service = useTestService();

const { register } = nameCalls(() => service);
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
