import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { tables } from '#contract/platform/resources.ts';
import type { KeyRecord } from '#domain/keys/key.ts';
import { usableKeysKey } from '#repositories/accounts/account-items.ts';
import { keyStore } from '#repositories/keys/keys.ts';
import { services } from '#runtime/services/container.ts';
import { onDatabase, rowsOf } from '#test/database/rows.ts';
import { times } from '#test/many.ts';
import { type ApiResponse, type Person, useTestService } from '#test/service/service.ts';

const service = useTestService();

const create = ({ cookie }: Person, expiresAt?: string) =>
  service.call('POST', '/api/keys', { cookie, body: { name: 'one of many', expiresAt } });
const rotate = ({ cookie }: Person, id: string) =>
  service.call('POST', `/api/keys/${id}/rotate`, { cookie, body: { graceSeconds: 604_800 } });
const active = async ({ cookie }: Person) =>
  (await service.call('GET', '/api/keys', { cookie })).body.data.filter(
    ({ status }: { status: string }) => status === 'active',
  );
const keysOfMeter = async ({ id }: Person) =>
  Object.keys((await rowsOf('meters')).find(({ a }) => a === id)!['k'] as object);

const usable = async ({ cookie }: Person) =>
  (await service.call('GET', '/api/keys', { cookie })).body.data.filter(({ status }: { status: string }) =>
    ['active', 'suspended'].includes(status),
  );
const patch = ({ cookie }: Person, id: string, body: unknown) =>
  service.call('PATCH', `/api/keys/${id}`, { cookie, body });
const laid = { status: 'suspended', expiresAt: null };

const recordOf = (id: string, now: number): KeyRecord => ({
  id,
  name: 'one of many',
  prefix: 'tai_',
  lastFour: 'last',
  status: 'active',
  createdAt: now,
  revision: 1,
});

const withStore = <Result>(work: (store: ReturnType<typeof keyStore>) => Promise<Result>): Promise<Result> =>
  onDatabase((client) => work(keyStore(client, tables.accounts.name, tables.meters.name, () => tables.audit.name)));

/** Exceeds the first check of the service: concurrent requests do not see each other. */
const createAtOnce = (person: Person, count: number, now: number) =>
  withStore((store) =>
    Promise.all(times(count, (index) => store.create(person.id, recordOf(`key-${index}`, now), { now }))),
  );

/** Suspends keys until the given number is usable, of which one is active. */
async function hoard(person: Person, count: number): Promise<void> {
  const now = services().clock.now();
  await withStore(async (store) => {
    for (let made = 1; made < count; made++) {
      await store.create(person.id, recordOf(`laid-${made}`, now), { now });
      await patch(person, `laid-${made}`, laid);
    }
  });
}

describe('the limit of 100 active or suspended keys', { timeout: 60_000 }, () => {
  it('holds for rotations whose old keys are suspended without an expiry in their grace period', async () => {
    const person = await service.person();
    let newest = person.keyId;
    let last: ApiResponse | undefined;
    for (let turn = 0; turn < 110; turn++) {
      last = await service.call('POST', `/api/keys/${newest}/rotate`, {
        cookie: person.cookie,
        body: { graceSeconds: 3600 },
      });
      if (last.status === 201) await patch(person, newest, laid);
      newest = last.body.data?.id ?? newest;
    }
    expect(await usable(person)).toHaveLength(100);
    expect([last?.status, last?.body.message]).toEqual([409, 'INVALID_STATE']);
    expect(last?.body.detail).toContain('100 active and suspended');
    expect((await service.call('POST', `/api/keys/${newest}/rotate`, { cookie: person.cookie, body: {} })).status).toBe(
      201,
    );
    expect(await usable(person)).toHaveLength(100);
  });

  it('holds for concurrent creations', async () => {
    const person = await service.person();
    await hoard(person, 97);
    const outcomes = await createAtOnce(person, 40, services().clock.now());
    expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(3);
    expect(await usable(person)).toHaveLength(100);
  });

  it('holds if expired keys are extended after new keys have replaced them', async () => {
    const person = await service.person();
    const soon = new Date(services().clock.now() + 600_000).toISOString();
    const expiring: string[] = [];
    for (let made = 0; made < 5; made++) expiring.push((await create(person, soon)).body.data.id);
    await hoard(person, 95);
    expect((await create(person)).status).toBe(409);
    await service.post('/_local/clock', { advance: 'PT11M' });
    const revived = await patch(person, expiring[0]!, { expiresAt: null });
    expect(revived.status).toBe(200);
    for (let made = 0; made < 4; made++) expect((await create(person)).status).toBe(201);
    for (const id of expiring.slice(1)) expect((await patch(person, id, laid)).status).toBe(409);
    expect(await usable(person)).toHaveLength(100);
  });

  it('includes keys created before keys were counted', async () => {
    const person = await service.person();
    await hoard(person, 100);
    const deletion = new DeleteCommand({ TableName: tables.accounts.name, Key: usableKeysKey(person.id) });
    await onDatabase((client) => client.send(deletion));
    expect((await create(person)).status).toBe(409);
    expect((await service.call('DELETE', `/api/keys/${person.keyId}`, { cookie: person.cookie })).status).toBe(200);
    expect((await create(person)).status).toBe(201);
    expect(await usable(person)).toHaveLength(100);
  });
});

describe('the limit of 50 usable keys', () => {
  it('holds for 200 concurrent creations that replace expired keys', async () => {
    const person = await service.person();
    const now = services().clock.now();
    const soon = new Date(now + 600_000).toISOString();
    for (let made = 0; made < 49; made++) await create(person, soon);
    const outcomes = await createAtOnce(person, 200, now + 660_000);
    expect(outcomes.filter((outcome) => outcome === 'done').length).toBeGreaterThan(0);
    expect((await keysOfMeter(person)).length).toBeLessThanOrEqual(50);
  });

  it('holds for rotations with every old key in its grace period', async () => {
    const person = await service.person();
    let newest = person.keyId;
    for (let turn = 0; turn < 60; turn++) newest = (await rotate(person, newest)).body.data?.id ?? newest;
    await Promise.all((await active(person)).map(({ id }: { id: string }) => rotate(person, id)));
    expect((await active(person)).length).toBeLessThanOrEqual(50);
    expect((await keysOfMeter(person)).length).toBeLessThanOrEqual(50);
  });
});
