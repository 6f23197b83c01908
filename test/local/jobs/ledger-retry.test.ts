import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { queues } from '#contract/platform/resources.ts';
import { services } from '#runtime/services/container.ts';
import { rowsOf, setInRow } from '#test/database/rows.ts';
import { chat, type Person, startTestService, type TestService } from '#test/service/service.ts';

let service: TestService;
let poisoned: Person;
let others: Person[];

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());
beforeEach(async () => {
  poisoned = await service.person();
  others = await Promise.all([service.person(), service.person(), service.person()]);
});

const spend = async ({ key }: Person) =>
  expect((await service.call('POST', '/v1/chat/completions', { key, body: chat() })).status).toBe(200);

/** Puts an entry on the account's meter that no ledger can read. */
const poison = ({ id }: Person) => setInRow('meters', { a: id }, 'last', [{ t: 'riddle', at: 1, v: 1 }]);

const entriesOf = async ({ key }: Person) =>
  (await service.call('GET', '/api/credits', { key })).body.data.entries as { type: string; balance: number }[];
const parked = async () => {
  const status = (await (await fetch(`${service.origin}/_local/status`)).json()) as { parked: Record<string, number> };
  return status.parked[queues.ledgerRetry.name] ?? 0;
};
const pass = async (tries: number) => {
  for (let count = 0; count < tries; count++) {
    await service.post('/_local/clock', { advance: 'PT6M' });
    await service.settled();
  }
};

describe('an account whose record cannot be written into the ledger', () => {
  test('holds up no other account, nor what comes after of its own', async () => {
    await poison(poisoned);
    for (const person of [...others, poisoned]) await spend(person);
    await service.settled();
    for (const person of [...others, poisoned])
      expect(await entriesOf(person)).toMatchObject([
        { type: 'charge', balance: 99 },
        { type: 'grant', balance: 100 },
      ]);
  });

  test('is tried again as often as the queue allows, then parked, and shown', async () => {
    await poison(poisoned);
    await service.settled();
    const before = await parked();
    await pass(queues.ledgerRetry.maxReceiveCount - 1);
    expect(await parked()).toBe(before);
    await pass(1);
    expect(await parked()).toBeGreaterThan(before);
  });

  test('leaves the rows of all others exactly once, and its own, from one batch with everything in it', async () => {
    for (const person of [poisoned, ...others]) await spend(person);
    await service.settled();
    const batch = await Promise.all([poisoned, ...others, poisoned].map(imageOf));
    const { projectLedger } = await import('#jobs/billing.ts');
    const handler = projectLedger();
    const broken = batch.map((image, index) => (index === 0 ? { ...image, last: [{ t: 'riddle' }] } : image));
    const Records = broken.map((image, index) => ({
      dynamodb: { Keys: marshall({ a: image['a'] }), NewImage: marshall(image), SequenceNumber: `${index}` },
    }));
    for (const _ of [1, 2]) {
      expect(await handler({ Records } as Parameters<typeof handler>[0])).toEqual({ batchItemFailures: [] });
    }
    await service.settled();
    for (const person of [poisoned, ...others]) expect(await entriesOf(person)).toHaveLength(2);
    const findings: unknown[] = [];
    await services()
      .auditor()
      .audit((finding) => findings.push(finding));
    expect(findings).toEqual([]);
  });
});

const imageOf = async ({ id }: Person) => (await rowsOf('meters')).find(({ a }) => a === id) ?? {};

test('what waits is on disk, for the owner only', async () => {
  const file = join(service.folder, 'queues.sqlite');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await readFile(file)).subarray(0, 15).toString()).toBe('SQLite format 3');
});
