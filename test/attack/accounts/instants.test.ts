import { describe, expect, it } from 'vitest';
import { apiKeyKey, sessionKey } from '#repositories/accounts/account-items.ts';
import { rowKey, usagePrefixes } from '#repositories/billing/ledger-items.ts';
import { putRows, rowsOf, setInRow } from '#test/database/rows.ts';
import { chat, useTestService } from '#test/service/service.ts';

let operations: string[] = [];
const service = useTestService({ onDynamoRequest: (operation) => void operations.push(operation) });

const call = (method: string, path: string, cookie: string, body?: unknown) =>
  service.call(method, path, { cookie, body });
const range = 'must be from 1970-01-01T00:00:00.000Z to 9999-12-31T23:59:59.999Z.';

/** Gives the stored key an attribute that no version of the code writes. */
const spoil = (accountId: number, keyId: string, name: string, value: unknown) =>
  setInRow('accounts', apiKeyKey(accountId, keyId), name, value);

const beyond = Date.UTC(12_026, 0, 1);

describe('a timestamp in a request', () => {
  it.each([
    '9999-12-31T23:59:59-12:00',
    '9999-12-31T23:59:59.999-00:01',
    '9999-12-31 23:00:00 -01',
    '0000-01-01T00:00:00+12:00',
    '1969-12-31T23:59:59Z',
    '0049-01-01 00:00:00Z',
  ])('of %s is refused with 400 when a key is created or changed, and the list still works', async (expiresAt) => {
    const { cookie, keyId } = await service.person();
    const refused = [
      await call('POST', '/api/keys', cookie, { name: 'late', expiresAt }),
      await call('PATCH', `/api/keys/${keyId}`, cookie, { expiresAt }),
    ];
    for (const { status, body } of refused) expect([status, body.detail]).toEqual([400, `expiresAt ${range}`]);
    expect((await call('GET', '/api/keys', cookie)).body.data).toHaveLength(1);
  });

  it.each([
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ['9999-12-31T23:59:59+12:00', '9999-12-31T11:59:59.000Z'],
    ['9000-01-01 00:00:00 +01', '8999-12-31T23:00:00.000Z'],
  ])('of %s is returned as %s, in the list and from the rotated key', async (expiresAt, shown) => {
    const { cookie } = await service.person();
    const made = await call('POST', '/api/keys', cookie, { name: 'late', expiresAt });
    expect([made.status, made.body.data.expiresAt]).toEqual([201, shown]);
    const rotated = await call('POST', `/api/keys/${made.body.data.id}/rotate`, cookie, { graceSeconds: 604_800 });
    expect([rotated.status, rotated.body.data.expiresAt]).toEqual([201, shown]);
    expect((await call('GET', '/api/keys', cookie)).status).toBe(200);
  });

  it.each([
    ['from=2027-02-30', 'from must be a valid calendar date.'],
    ['to=1969-12-31', 'to must be from 1970-01-01 to 9999-12-31.'],
    ['to=0000-01-01', 'to must be from 1970-01-01 to 9999-12-31.'],
    ['from=9999-99-99', 'from must be a date such as 2027-01-31.'],
  ])('outside the calendar or the supported years is refused in a usage query: %s', async (query, detail) => {
    const { key } = await service.person();
    expect((await service.call('GET', `/api/usage?${query}`, { key })).body).toMatchObject({ status: 400, detail });
  });

  it.each(['from=9999-12-31&to=9999-12-31', 'to=1970-01-01'])(
    'at either end of the supported range is accepted: %s',
    async (query) => {
      const { key } = await service.person();
      const { status, body } = await service.call('GET', `/api/usage?${query}`, { key });
      expect([status, body.data.from]).toEqual([200, expect.stringMatching(/^\d{4}-\d\d-\d\d$/)]);
    },
  );

  it('in the past returns 400 before 403 for the unconfirmed address', async () => {
    const { cookie } = await service.registered();
    const expiresAt = '1999-01-01T00:00:00Z';
    const responses = [
      await call('POST', '/api/keys', cookie, { name: 'old', expiresAt }),
      await call('PATCH', '/api/keys/some-id', cookie, { expiresAt }),
    ];
    for (const { status, body } of responses)
      expect([status, body.detail]).toEqual([400, 'expiresAt must be in the future.']);
  });

  it('in a cursor beyond the newest entry returns the newest page without waiting', async () => {
    const { key } = await service.person();
    const page = async (cursor: string) =>
      (await service.call('GET', `/api/credits${cursor && `?cursor=${cursor}`}`, { key })).body.data.entries;
    await service.settled();
    const newest = await page('');
    operations = [];
    const cursors = ['9999999999999999', String(Number.MAX_SAFE_INTEGER), '1000000'];
    for (const cursor of cursors) expect(await page(cursor)).toEqual(newest);
    expect(operations.filter((operation) => operation === 'Query')).toHaveLength(cursors.length);
  });
});

describe('an unreadable row', () => {
  it.each([
    ['expiresAt', beyond, { expiresAt: null }],
    ['expiresAt', Number.MAX_SAFE_INTEGER, { expiresAt: null }],
    ['createdAt', -1, { createdAt: null }],
    ['lastUsedAt', 'never', { lastUsedAt: null }],
    ['name', 7, { name: '' }],
    ['revision', null, { name: 'test' }],
  ])(
    'of a key with its %s set to %s is listed as unreadable next to the others, and can be revoked',
    async (name, value, shown) => {
      const { cookie, id, key, keyId } = await service.person();
      const other = await call('POST', '/api/keys', cookie, { name: 'other' });
      await spoil(id, keyId, name, value);
      const listed = async () => {
        const { status, body } = await call('GET', '/api/keys', cookie);
        expect(status).toBe(200);
        expect(body.data).toHaveLength(2);
        return body.data.find((record: { id: string }) => record.id === keyId);
      };
      expect(await listed()).toMatchObject({
        id: keyId,
        status: 'unreadable',
        prefix: key.slice(0, 17),
        lastFour: key.slice(-4),
        ...shown,
      });
      const renamed = await call('PATCH', `/api/keys/${keyId}`, cookie, { name: 'mended' });
      const rotated = await call('POST', `/api/keys/${keyId}/rotate`, cookie);
      expect([renamed.body.message, rotated.body.message]).toEqual(['INVALID_STATE', 'INVALID_STATE']);
      expect((await call('DELETE', `/api/keys/${keyId}`, cookie)).body.data.status).toBe('revoked');
      expect((await listed()).status).toBe('revoked');
      expect((await service.call('GET', '/v1/models', { key })).status).toBe(401);
      const models = await service.call('GET', '/v1/models', { key: other.body.data.key });
      expect(models.status).toBe(200);
    },
  );

  it('of a session is not listed and does not hide the other sessions', async () => {
    const { cookie, id, email, password } = await service.registered();
    await putRows('accounts', [
      { ...sessionKey(id, 'x'.repeat(22)), createdAt: 1, expiresAt: beyond, lastSeenAt: 'now' },
    ]);
    await putRows('accounts', [
      { ...sessionKey(id, 'y'.repeat(22)), createdAt: 1, expiresAt: beyond, lastSeenAt: beyond },
    ]);
    expect((await call('GET', '/api/auth/sessions', cookie)).body.data).toHaveLength(1);
    expect((await call('POST', '/api/auth/login', '', { email, password })).status).toBe(200);
  });

  it('of the ledger is omitted, and older rows are still reached', async () => {
    const { key, id } = await service.person();
    for (let count = 0; count < 3; count++) await service.call('POST', '/v1/chat/completions', { key, body: chat() });
    await service.settled();
    const page = async (query: string) => (await service.call('GET', `/api/credits?${query}`, { key })).body.data;
    const { entries } = await page('limit=50');
    const spoiled = entries[1].seq;
    await putRows('ledger', [
      { ...rowKey(id, spoiled), seq: spoiled, type: 'charge', at: beyond, amount: 0, balance: 0 },
    ]);
    const seen: number[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const { entries: some, nextCursor } = await page(`limit=1${cursor && `&cursor=${cursor}`}`);
      seen.push(...some.map(({ seq }: { seq: number }) => seq));
      cursor = nextCursor;
    }
    expect(seen).toEqual(entries.map(({ seq }: { seq: number }) => seq).filter((seq: number) => seq !== spoiled));
  });

  it('of a day of usage is omitted', async () => {
    const { key, id } = await service.person();
    await service.call('POST', '/v1/chat/completions', { key, body: chat() });
    await service.settled();
    const days = async () => (await service.call('GET', '/api/usage', { key })).body.data.days;
    const before = await days();
    expect(before).toHaveLength(1);
    await putRows('ledger', [
      { a: id, sk: `${usagePrefixes.detail}${before[0].date}#chat#broken#`, date: before[0].date, calls: 'many' },
    ]);
    expect(await days()).toEqual(before);
  });

  it('of a deleted account does not stop the purge of others', async () => {
    const { id, email, password, cookie } = await service.registered();
    await putRows('accounts', [{ pk: 'purge', sk: '000000000000001#1', accountId: 'nobody' }]);
    await call('POST', '/api/auth/delete-account', cookie, { email, password });
    await service.settled();
    await service.post('/_local/clock', { advance: 'P30DT2H' });
    await service.settled();
    const left = (await rowsOf('accounts')).filter(({ pk }) => pk === `user#${id}`);
    expect(left).toEqual([]);
  });
});
