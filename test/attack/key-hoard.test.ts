import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tables } from '#contract/tables.ts';
import type { KeyRecord } from '#domain/keys/key-record.ts';
import { keyStore } from '#repositories/keys.ts';
import { services } from '#runtime/container.ts';
import { times } from '#test/many.ts';
import { rowsOf } from '#test/rows.ts';
import { type Person, startTestService, type TestService } from '#test/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

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

describe('an account never has more than 50 keys that work', () => {
  it('however many are made at the same moment in the place of 50 that have expired', async () => {
    const person = await service.person();
    const now = services().clock.now();
    const soon = new Date(now + 600_000).toISOString();
    for (let made = 0; made < 49; made++) await create(person, soon);
    const client = DynamoDBDocumentClient.from(new DynamoDBClient());
    const store = keyStore(client, tables.accounts.name, tables.meters.name);
    const record = (id: string): KeyRecord => ({
      id,
      name: 'one of many',
      prefix: 'tai_',
      lastFour: 'last',
      status: 'active',
      createdAt: now,
      revision: 1,
    });
    const later = now + 660_000;
    const outcomes = await Promise.all(times(200, (index) => store.create(person.id, record(`key-${index}`), later)));
    client.destroy();
    expect(outcomes.filter((outcome) => outcome === 'done').length).toBeGreaterThan(0);
    expect((await keysOfMeter(person)).length).toBeLessThanOrEqual(50);
  });

  it('however often they are rotated, each old one in its time of grace', async () => {
    const person = await service.person();
    let newest = person.keyId;
    for (let turn = 0; turn < 60; turn++) newest = (await rotate(person, newest)).body.data?.id ?? newest;
    await Promise.all((await active(person)).map(({ id }: { id: string }) => rotate(person, id)));
    expect((await active(person)).length).toBeLessThanOrEqual(50);
    expect((await keysOfMeter(person)).length).toBeLessThanOrEqual(50);
  });
});
