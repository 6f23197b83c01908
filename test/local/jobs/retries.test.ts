import { marshall } from '@aws-sdk/util-dynamodb';
import { beforeEach, describe, expect, test } from 'vitest';
import { queues } from '#contract/platform/resources.ts';
import { mailKey } from '#repositories/accounts/account-items.ts';
import { services } from '#runtime/services/container.ts';
import { putRows, rowsOf, setInRow } from '#test/database/rows.ts';
import { chat, type Person, useTestService } from '#test/service/service.ts';

const service = useTestService();
let poisoned: Person;
let others: Person[];
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
const parked = async ({ name }: { readonly name: string }) => {
  const status = (await (await fetch(`${service.origin}/_local/status`)).json()) as { parked: Record<string, number> };
  return status.parked[name] ?? 0;
};
const pass = async (tries: number) => {
  for (let count = 0; count < tries; count++) {
    await service.post('/_local/clock', { advance: 'PT6M' });
    await service.settled();
  }
};

describe('an account whose ledger rows cannot be written', () => {
  test('does not delay other accounts or its own later records', async () => {
    await poison(poisoned);
    for (const person of [...others, poisoned]) await spend(person);
    await service.settled();
    for (const person of [...others, poisoned])
      expect(await entriesOf(person)).toMatchObject([
        { type: 'charge', balance: 99 },
        { type: 'grant', balance: 100 },
      ]);
  });

  test('does not prevent the rows of other accounts in the same batch, each written once', async () => {
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
    await (await services().auditor()).audit((finding) => findings.push(finding));
    expect(findings).toEqual([]);
  });
});

test('an unreadable ledger row, and an email by its id alone, are retried, then parked, and delay no other email', async () => {
  await poison(poisoned);
  await putRows('accounts', [{ ...mailKey('broken'), outbox: 'broken', text: 'https://example.com/?token=secret' }]);
  const { email } = await service.registered();
  expect(await service.mailedToken(email)).toMatch(/\w{20}/);
  await service.settled();
  const before = await parked(queues.ledgerRetry);
  expect(queues.mailRetry.maxReceiveCount).toBe(queues.ledgerRetry.maxReceiveCount);
  await pass(queues.mailRetry.maxReceiveCount - 1);
  expect([await parked(queues.ledgerRetry), await parked(queues.mailRetry)]).toEqual([before, 0]);
  await pass(1);
  expect(await parked(queues.ledgerRetry)).toBeGreaterThan(before);
  expect(await parked(queues.mailRetry)).toBe(1);
});

const imageOf = async ({ id }: Person) => (await rowsOf('meters')).find(({ a }) => a === id) ?? {};
