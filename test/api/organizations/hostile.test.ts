import { beforeAll, describe, expect, it } from 'vitest';
import { allRoutes } from '#contract/routes.ts';
import { issueCredential } from '#domain/shared/credential.ts';
import { userKey } from '#repositories/accounts/account-items.ts';
import { ambient } from '#runtime/process.ts';
import { setInRow } from '#test/database/rows.ts';
import { organizationCalls } from '#test/requests/organizations.ts';
import { sampleOf } from '#test/requests/samples.ts';
import { chat, code, usePerson, useTestService } from '#test/service/service.ts';

const service = useTestService();
const ada = usePerson(service);
const eve = usePerson(service);
let calls: ReturnType<typeof organizationCalls>;
let id: number;
beforeAll(async () => {
  calls = organizationCalls(service);
  id = await calls.create(ada, 'Secret Harbor');
});

const acting = allRoutes.filter(({ access }) => access !== undefined && access !== 'person');

describe('a stranger', () => {
  it.each(acting.map((route) => [route.id, route] as const))(
    'gets 404 from %s, as for an unknown id',
    async (_, route) => {
      const { path, body } = sampleOf(route);
      const send = (named: number) =>
        route.namesOrganization
          ? service.call(route.method, path.replace('/123', `/${named}`), { cookie: eve.cookie, body })
          : calls.within(named, route.method, path, { cookie: eve.cookie, body });
      const [foreign, unknown] = [await send(id), await send(4_242_424_242)];
      expect(code(foreign)).toBe('404 NOT_FOUND');
      expect(foreign.body).toEqual(unknown.body);
    },
  );

  it('leaves no trace in the requests of the organization', async () => {
    const { path, body } = sampleOf(allRoutes.find((route) => route.id === 'translate')!);
    await calls.within(id, 'POST', path, { cookie: eve.cookie, body });
    await service.settled();
    const { requests } = (await calls.within(id, 'GET', '/api/requests', { cookie: ada.cookie })).body.data;
    expect(requests).toEqual([]);
  });

  it('cannot enter the personal organization of another person', async () => {
    expect(code(await calls.within(ada.id, 'GET', '/api/credits', { cookie: eve.cookie }))).toBe('404 NOT_FOUND');
    expect(code(await calls.call('GET', `/${ada.id}/members`, eve))).toBe('404 NOT_FOUND');
    expect(code(await calls.call('POST', `/${ada.id}/invitations`, eve, { email: eve.email, role: 'owner' }))).toBe(
      '404 NOT_FOUND',
    );
  });

  it('gets nothing from a former membership', async () => {
    await calls.join(id, ada, eve, 'admin');
    expect((await calls.call('DELETE', `/${id}/members/${eve.id}`, eve)).status).toBe(200);
    expect(code(await calls.call('GET', `/${id}`, eve))).toBe('404 NOT_FOUND');
    expect(code(await calls.invite(id, eve, 'friend@example.net', 'admin'))).toBe('404 NOT_FOUND');
    const { items } = (await calls.call('GET', '', eve)).body.data;
    expect(items).toHaveLength(1);
  });
});

describe('the header', () => {
  it.each(['', '0', '-1', '01', '1.5', '1e3', '0x10', 'abc', '1 2', '1,2', '9007199254740993', '99999999999999999'])(
    'is refused as malformed: %j',
    async (value) => {
      const { cookie, key } = ada;
      const headers = { 'x-organization': value };
      expect(code(await service.call('GET', '/api/credits', { cookie, headers }))).toBe('400 INVALID_FORMAT');
      expect(code(await service.call('GET', '/api/credits', { key, headers }))).toBe('400 INVALID_FORMAT');
      expect(code(await service.call('POST', '/v1/chat/completions', { key, headers, body: chat() }))).toBe(
        '400 INVALID_FORMAT',
      );
      const forged = 'session=tas_junk';
      expect(code(await service.call('GET', '/api/credits', { cookie: forged, headers }))).toBe('401 INVALID_API_KEY');
    },
  );

  it('may name only the own organization of a key', async () => {
    const made = await calls.within(id, 'POST', '/api/keys', { cookie: ada.cookie, body: { name: 'shared' } });
    const { key } = made.body.data;
    for (const path of ['/api/credits', '/v1/models']) {
      expect((await calls.within(id, 'GET', path, { key })).status).toBe(200);
      expect(code(await calls.within(ada.id, 'GET', path, { key }))).toBe('404 NOT_FOUND');
      expect(code(await calls.within(id, 'GET', path, { key: ada.key }))).toBe('404 NOT_FOUND');
      expect(code(await calls.within(ada.id, 'GET', path, { key: ada.key }))).toBe('200 SUCCESS');
    }
    const call = (named: number, credential: string) =>
      calls.within(named, 'POST', '/v1/chat/completions', { key: credential, body: chat() });
    expect((await call(id, key)).status).toBe(200);
    expect(code(await call(ada.id, key))).toBe('404 NOT_FOUND');
    const forged = issueCredential('key', ada.id, ambient.random).text;
    expect(code(await call(id, forged))).toBe('401 INVALID_API_KEY');
    expect(code(await service.call('GET', '/api/auth/me', { key }))).toBe('403 INSUFFICIENT_PERMISSIONS');
  });
});

describe('an invitation', () => {
  it('can be accepted only from the invited address', async () => {
    const guest = await service.person();
    await calls.invite(id, ada, guest.email, 'viewer');
    const token = await calls.tokenTo(guest.email);
    expect(code(await calls.accept(eve, token))).toBe('403 INSUFFICIENT_PERMISSIONS');
    expect(code(await service.call('POST', '/api/invitations/accept', { key: guest.key, body: { token } }))).toBe(
      '403 INSUFFICIENT_PERMISSIONS',
    );
    expect((await calls.accept(guest, token)).status).toBe(200);
    expect(code(await calls.invite(id, ada, guest.email, 'viewer'))).toBe('409 INVALID_STATE');
  });

  it('does not open an account that has not confirmed the address', async () => {
    const guest = await service.registered();
    await calls.invite(id, ada, guest.email, 'viewer');
    const token = await calls.tokenTo(guest.email);
    expect(code(await calls.accept(guest, token))).toBe('403 ACCOUNT_NOT_CONFIRMED');
    expect(code(await calls.call('POST', '', guest, { name: 'Mine' }))).toBe('403 ACCOUNT_NOT_CONFIRMED');
    await setInRow('accounts', userKey(guest.id), 'confirmedAt', Date.now());
    expect((await calls.accept(guest, token)).status).toBe(200);
  });

  it('ends when it is withdrawn, replaced or used, and tokens of other kinds never work', async () => {
    const guest = await service.person();
    const first = await calls.invite(id, ada, guest.email, 'viewer');
    const replaced = await calls.tokenTo(guest.email);
    await calls.invite(id, ada, guest.email.toUpperCase(), 'developer');
    const withdrawn = await calls.tokenTo(guest.email);
    expect(code(await calls.accept(guest, replaced))).toBe('404 NOT_FOUND');
    const path = `/${id}/invitations/${first.body.data.id}`;
    expect((await calls.call('DELETE', path, ada)).status).toBe(200);
    expect(code(await calls.call('DELETE', path, ada))).toBe('404 NOT_FOUND');
    const forged = issueCredential('invitation', id, ambient.random).text;
    for (const token of [withdrawn, forged, guest.key, 'x', guest.cookie.replace('session=', '')])
      expect(code(await calls.accept(guest, token))).toBe('404 NOT_FOUND');
  });

  it('looks the same whether or not the address has an account', async () => {
    const known = await calls.invite(id, ada, (await service.person()).email, 'viewer');
    const unknown = await calls.invite(id, ada, 'nobody@example.net', 'viewer');
    const { id: _, email: __, expiresAt: ___, ...rest } = known.body.data;
    expect([known.status, Object.keys(known.body.data), rest]).toEqual([
      201,
      Object.keys(unknown.body.data),
      { role: 'viewer' },
    ]);
    expect(unknown.status).toBe(201);
  });

  it('reaches an address at most 10 times a day from all organizations', async () => {
    const other = await calls.create(ada);
    const statuses: number[] = [];
    for (let count = 0; count < 12; count++)
      statuses.push((await calls.invite(count % 2 ? id : other, ada, 'victim@example.net', 'viewer')).status);
    expect(statuses).toEqual([...Array(10).fill(201), 429, 429]);
  });

  it.each([
    ['admin', 'admin'],
    ['owner', 'owner'],
  ] as const)('ends when the %s who sent it may not invite any more', async (role, invited) => {
    const inviter = await service.person();
    const guest = await service.person();
    await calls.join(id, ada, inviter, role);
    await calls.invite(id, inviter, guest.email, invited);
    const token = await calls.tokenTo(guest.email);
    const path = `/${id}/members/${inviter.id}`;
    await calls.call('PATCH', path, ada, { role: 'developer' });
    expect(code(await calls.accept(guest, token))).toBe('404 NOT_FOUND');
    await calls.call('DELETE', path, ada);
    expect(code(await calls.accept(guest, token))).toBe('404 NOT_FOUND');
    expect((await calls.invite(id, ada, guest.email, 'viewer')).status).toBe(201);
    expect((await calls.accept(guest, await calls.tokenTo(guest.email))).body.data.role).toBe('viewer');
  });

  it('to be an owner is neither replaced nor withdrawn by an admin', async () => {
    const admin = await service.person();
    const guest = await service.person();
    await calls.join(id, ada, admin, 'admin');
    const { body } = await calls.invite(id, ada, guest.email, 'owner');
    const token = await calls.tokenTo(guest.email);
    const refused = '403 INSUFFICIENT_PERMISSIONS';
    expect(code(await calls.invite(id, admin, guest.email, 'viewer'))).toBe(refused);
    expect(code(await calls.call('DELETE', `/${id}/invitations/${body.data.id}`, admin))).toBe(refused);
    expect((await calls.accept(guest, token)).body.data).toEqual({ organizationId: id, role: 'owner' });
  });

  it('makes nobody an owner but by an owner', async () => {
    const admin = await service.person();
    await calls.join(id, ada, admin, 'admin');
    const refused = await calls.invite(id, admin, 'friend@example.net', 'owner');
    expect([code(refused), refused.body.detail]).toEqual([
      '403 INSUFFICIENT_PERMISSIONS',
      'This requires the role owner in the organization; yours is admin.',
    ]);
    const changes = [
      await calls.call('PATCH', `/${id}/members/${admin.id}`, admin, { role: 'owner' }),
      await calls.call('PATCH', `/${id}/members/${ada.id}`, admin, { role: 'viewer' }),
      await calls.call('DELETE', `/${id}/members/${ada.id}`, admin),
    ];
    for (const change of changes) expect(code(change)).toBe('403 INSUFFICIENT_PERMISSIONS');
  });
});

describe('the name', () => {
  it.each([
    ['a link', 'Visit evil.com now'],
    ['a line break', 'Harbor\nBcc: x'],
    ['65 characters', 'x'.repeat(65)],
    ['nothing visible', '\u200b'],
  ])('must not have %s', async (_, name) => {
    expect(code(await calls.call('POST', '', ada, { name }))).toBe('400 INVALID_FORMAT');
    expect(code(await calls.call('PATCH', `/${id}`, ada, { name }))).toBe('400 INVALID_FORMAT');
  });

  it('is escaped in the email', async () => {
    const shared = await calls.create(ada, '<b>"Harbor" & Sons</b>');
    await calls.invite(shared, ada, 'escaped@example.net', 'viewer');
    await calls.tokenTo('escaped@example.net');
    const mails = (await (await fetch(`${service.origin}/_local/mail`)).json()) as { to: string[]; html: string }[];
    const { html } = mails.find(({ to }) => to.includes('escaped@example.net'))!;
    expect(html).not.toContain('<b>"Harbor"');
    expect(html).toContain('&lt;b&gt;');
  });
});
