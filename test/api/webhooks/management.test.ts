import { describe, expect, it } from 'vitest';
import { services } from '#runtime/services/container.ts';
import { rowsOf } from '#test/database/rows.ts';
import { code, type Person, usePerson, useTestService } from '#test/service/service.ts';

const service = useTestService();
const person = usePerson(service, { planRank: 3 });
const other = usePerson(service, { planRank: 3 });
const valid = { url: 'https://example.com/hook', events: ['credits.low'] };
const call = (method: string, path = '', body?: unknown, somebody: Person = person) =>
  service.call(method, `/api/webhooks${path}`, { key: somebody.key, ...(body !== undefined && { body }) });
const create = (body: unknown = valid, somebody: Person = person) => call('POST', '', body, somebody);
const list = async (somebody: Person = person): Promise<any[]> =>
  (await call('GET', '', undefined, somebody)).body.data.items;

/** All stored webhook data, and the webhooks that meters name. */
async function stored(): Promise<unknown> {
  const meters = await rowsOf('meters');
  const named = meters.map(({ a, wh }) => [a, Array.from((wh ?? []) as Iterable<unknown>, String).toSorted()]);
  return { webhooks: await rowsOf('webhooks'), named };
}

describe('a webhook', () => {
  it('is created with a secret that is shown once, read, changed and deleted', async () => {
    const made = await create({ ...valid, description: 'billing' });
    expect(code(made)).toBe('201 SUCCESS');
    const { secret, ...shown } = made.body.data;
    expect(secret).toMatch(/^whsec_[\w+/]{43}=$/);
    expect(shown).toEqual({
      id: expect.stringMatching(/^whk_\w{16}$/),
      ...valid,
      description: 'billing',
      status: 'active',
      disabledReason: null,
      failingSince: null,
      createdAt: expect.any(String),
    });
    expect((await call('GET', `/${shown.id}`)).body.data).toEqual(shown);
    expect(await list()).toEqual([shown]);

    const changes = { url: 'https://example.org/', events: ['*'], description: null };
    const changed = { ...shown, ...changes };
    expect((await call('PATCH', `/${shown.id}`, changes)).body.data).toEqual(changed);
    const off = await call('PATCH', `/${shown.id}`, { status: 'disabled' });
    expect(off.body.data).toEqual({ ...changed, status: 'disabled', disabledReason: 'requested' });
    expect((await call('PATCH', `/${shown.id}`, { status: 'active' })).body.data).toEqual(changed);
    expect((await call('PATCH', `/${shown.id}`, {})).body.data).toEqual(changed);

    const deleted = await call('DELETE', `/${shown.id}`);
    expect([code(deleted), deleted.body.data, await list()]).toEqual(['200 SUCCESS', null, []]);
    expect(code(await call('GET', `/${shown.id}`))).toBe('404 NOT_FOUND');
    expect(code(await call('DELETE', `/${shown.id}`))).toBe('404 NOT_FOUND');
    expect((await services().metering().find(person.id))?.webhooks).toBeUndefined();
  });

  it('rotates its secret, and keeps the old one for a grace period if requested', async () => {
    const { id, secret } = (await create()).body.data;
    const rotated = await call('POST', `/${id}/rotate-secret`, { graceSeconds: 60 });
    expect(code(rotated)).toBe('201 SUCCESS');
    const { secret: next, previousSecretExpiresAt } = rotated.body.data;
    expect(next).not.toBe(secret);
    expect(Math.abs(Date.parse(previousSecretExpiresAt) - Date.now() - 60_000)).toBeLessThan(5000);
    const { body } = await call('POST', `/${id}/rotate-secret`);
    expect(body.data.previousSecretExpiresAt).toBeNull();
    expect(code(await call('POST', `/${id}/rotate-secret`, { graceSeconds: 86_401 }))).toBe('400 INVALID_FORMAT');
    await call('DELETE', `/${id}`);
  });

  it('is created only if the account has fewer than ten, even for concurrent requests', async () => {
    const somebody = await service.person({ planRank: 4 });
    const made = await Promise.all(Array.from({ length: 15 }, () => create(valid, somebody)));
    const codes = made.map(code);
    expect(codes.filter((one) => one === '201 SUCCESS')).toHaveLength(10);
    expect(codes.filter((one) => one === '409 INVALID_STATE')).toHaveLength(5);
    expect(await list(somebody)).toHaveLength(10);
    const before = await stored();
    expect(code(await create(valid, somebody))).toBe('409 INVALID_STATE');
    expect(await stored()).toEqual(before);
    const [{ id }] = await list(somebody);
    await call('DELETE', `/${id}`, undefined, somebody);
    expect(code(await create(valid, somebody))).toBe('201 SUCCESS');
  });

  it('is listed newest first, in pages', async () => {
    const somebody = await service.person({ planRank: 3 });
    const ids: string[] = [];
    for (let count = 0; count < 3; count++) ids.unshift((await create(valid, somebody)).body.data.id);
    const page = async (query: string) => (await call('GET', query, undefined, somebody)).body.data;
    const first = await page('?limit=2');
    const second = await page(`?limit=2&cursor=${first.nextCursor}`);
    const shown = [...first.items, ...second.items].map(({ id }: { id: string }) => id);
    expect([shown.toSorted(), second.nextCursor]).toEqual([ids.toSorted(), null]);
    expect(code(await call('GET', '?cursor=junk', undefined, somebody))).toBe('400 INVALID_FORMAT');
  });

  it('returns the same 404 for a foreign and an unknown webhook', async () => {
    const { id } = (await create(valid, other)).body.data;
    const paths = [
      ['GET', `/${id}`],
      ['PATCH', `/${id}`, { status: 'disabled' }],
      ['DELETE', `/${id}`],
      ['POST', `/${id}/rotate-secret`],
      ['POST', `/${id}/test`],
      ['GET', `/${id}/deliveries`],
      ['POST', `/${id}/deliveries/dlv_x/redeliver`],
    ] as const;
    for (const [method, path, body] of paths) {
      const [foreign, unknown] = [
        await call(method, path, body),
        await call(method, path.replace(id, 'whk_none'), body),
      ];
      expect([path, code(foreign), foreign.body]).toEqual([path, '404 NOT_FOUND', unknown.body]);
    }
    expect(await list(other)).toMatchObject([{ id, status: 'active' }]);
  });

  it('requires a plan with webhooks', async () => {
    const small = await service.person({ planRank: 2 });
    const before = await stored();
    for (const [method, path, body] of [
      ['POST', '', valid],
      ['GET', ''],
      ['GET', '/whk_x'],
      ['PATCH', '/whk_x', {}],
      ['DELETE', '/whk_x'],
      ['POST', '/whk_x/rotate-secret'],
      ['POST', '/whk_x/test'],
      ['GET', '/whk_x/deliveries'],
      ['POST', '/whk_x/deliveries/dlv_x/redeliver'],
    ] as const)
      expect([path, code(await call(method, path, body, small))]).toEqual([path, '403 INSUFFICIENT_PERMISSIONS']);
    expect(await stored()).toEqual(before);
    const { detail } = (await create(valid, small)).body;
    expect(detail).toBe('Webhooks require the plan smm_pass or above.');
  });
});

describe('an invalid webhook', () => {
  it.each([
    ['url is required.', { events: ['*'] }],
    ['events must not be empty.', { url: 'https://example.com/', events: [] }],
    ['url must not be empty.', { ...valid, url: '' }],
    ['url must be a string.', { ...valid, url: 7 }],
    ['url must have at most 2048 characters.', { ...valid, url: `https://example.com/${'a'.repeat(2029)}` }],
    ['url must begin with https://.', { ...valid, url: 'http://example.com/' }],
    ['url must have no user name or password.', { ...valid, url: 'https://a:b@example.com/' }],
    ['url must point to a public host.', { ...valid, url: 'https://0x0a000001/' }],
    ['url must point to a public host.', { ...valid, url: 'https://[fe80::1]/' }],
    ['url must point to a public host.', { ...valid, url: 'https://metadata.google.internal/' }],
    ['events.0 must be an event type, or *.', { ...valid, events: ['credits.lowest'] }],
    ['events must not have duplicates.', { ...valid, events: ['*', '*'] }],
    ['events must be a list.', { ...valid, events: 'credits.low' }],
    ['description must have a visible character.', { ...valid, description: ' \u200b\u2060' }],
    ['description must have at most 200 characters.', { ...valid, description: 'x'.repeat(201) }],
  ])('is refused without storing anything: %s', async (detail, body) => {
    const before = await stored();
    const refused = await create(body);
    expect([code(refused), refused.body.detail]).toEqual(['400 INVALID_FORMAT', detail]);
    expect(await stored()).toEqual(before);
  });

  it('is refused in a change', async () => {
    const { id } = (await create()).body.data;
    for (const body of [{ url: 'https://10.0.0.1/' }, { events: [] }, { status: 'failing' }, { url: null }])
      expect(code(await call('PATCH', `/${id}`, body))).toBe('400 INVALID_FORMAT');
    expect(await list()).toMatchObject([{ id, ...valid }]);
    await call('DELETE', `/${id}`);
  });
});

it('purging a deleted account deletes all of its webhook data', async () => {
  const leaving = await service.person({ planRank: 3 });
  const { id } = (await create({ ...valid, url: 'http://127.0.0.1:9/' }, leaving)).body.data;
  const gone = (await create(valid, leaving)).body.data.id;
  await call('POST', `/${id}/test`, undefined, leaving);
  await call('POST', `/${gone}/test`, undefined, leaving);
  await call('DELETE', `/${gone}`, undefined, leaving);
  await service.settled();
  const deletion = { email: leaving.email, password: leaving.password };
  await service.call('POST', '/api/auth/delete-account', { cookie: leaving.cookie, body: deletion });
  const rows = async () => JSON.stringify(await rowsOf('webhooks'));
  expect(await rows()).toContain(id);
  await service.post('/_local/clock', { advance: 'P31D' });
  await expect.poll(rows, { timeout: 8000 }).not.toContain(id);
  expect(await rows()).not.toContain(gone);
});
