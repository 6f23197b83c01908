import { DeleteCommand, paginateScan, PutCommand } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { planOfRank, planListing } from '#contract/billing/plans.ts';
import { accountOrders, type AccountState, accountStates } from '#contract/operators/operators.ts';
import { tables } from '#contract/platform/resources.ts';
import type { Account } from '#domain/accounts/account.ts';
import { openMeter } from '#domain/billing/grants.ts';
import type { Meter } from '#domain/meter/meter.ts';
import { directory } from '#domain/operators/directory.ts';
import { userKey, userRow } from '#repositories/accounts/account-items.ts';
import { newMeterRow } from '#repositories/meter/meter-item.ts';
import { directoryStore, removeFromDirectory } from '#repositories/operators/directory.ts';
import { useTestDatabase } from '#test/database/database.ts';

const database = useTestDatabase();

test.each([
  [0, '14:30:00', '15:00:00'],
  [0, '15:00:00', '16:00:00'],
  [20 * 60_000, '14:30:00', '15:20:00'],
  [Date.parse('2026-12-24T10:45:00Z'), '14:30:00', '14:45:00'],
])('the update with an offset of %i ms after %s starts at %s', async (offset, time, next) => {
  const names = { directory: tables.directory.name, meters: () => '', accounts: () => tables.accounts.name };
  const clock = { now: () => Date.parse(`2027-01-15T${time}Z`) };
  const { list } = directory(directoryStore(database.client, names), clock, () => offset);
  const { nextUpdateAt } = await list({ sort: 'newest', limit: 1 });
  expect(nextUpdateAt).toBe(`2027-01-15T${next}.000Z`);
});

const now = Date.UTC(2027, 0, 15);
const day = 86_400_000;

interface Stored {
  account: Account;
  meter: Meter;
}

const who = fc.nat(40);
const event = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('register' as const), age: fc.nat(30), rank: fc.nat(3) }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('spend' as const), who, amount: fc.nat(5_000_000) }) },
  fc.record({
    do: fc.constantFrom('confirm', 'suspend', 'resume', 'delete', 'purge', 'miss a payment', 'pay'),
    who,
  }),
  fc.record({ do: fc.constantFrom('update', 'interrupt an update') }),
);
type Event = typeof event extends fc.Arbitrary<infer T> ? T : never;

async function rowsOf(table: string): Promise<Record<string, any>[]> {
  const rows: Record<string, any>[] = [];
  for await (const { Items = [] } of paginateScan({ client: database.client }, { TableName: table }))
    rows.push(...Items);
  return rows;
}

async function clear(): Promise<void> {
  for (const { name, partitionKey, ...spec } of [tables.accounts, tables.meters, tables.directory]) {
    const names = [partitionKey.name, ...('sortKey' in spec ? [spec.sortKey.name] : [])];
    for (const row of await rowsOf(name)) {
      const Key = Object.fromEntries(names.map((key) => [key, row[key]]));
      await database.client.send(new DeleteCommand({ TableName: name, Key }));
    }
  }
}

const put = (TableName: string, Item: object) => database.client.send(new PutCommand({ TableName, Item: { ...Item } }));

/** One interrupted update ends after its first page. */
const interrupted = AbortSignal.abort();

function world() {
  const stored: Stored[] = [];
  const names = {
    directory: tables.directory.name,
    meters: () => tables.meters.name,
    accounts: () => tables.accounts.name,
  };
  const list = directory(directoryStore(database.client, names, 3), { now: () => now });
  const save = async ({ account, meter }: Stored): Promise<void> => {
    await put(tables.accounts.name, userRow(account, undefined));
    await put(tables.meters.name, newMeterRow(meter, []));
  };

  async function happen(one: Event): Promise<void> {
    if (one.do === 'update') return void (await list.update());
    if (one.do === 'interrupt an update') return void (await list.update(interrupted));
    if (one.do === 'register') {
      const id = 1000 + stored.length * 7 + ('rank' in one ? one.rank : 0);
      const createdAt = now - ('age' in one ? one.age : 0) * day;
      const { meter } = openMeter(id, Math.floor(createdAt / 1000), planOfRank, undefined);
      const account: Account = { id, email: `${id}@example.com`, name: `P${id}`, role: 'viewer', createdAt };
      const planRank = planListing[('rank' in one ? one.rank : 0) % planListing.length]?.id ?? 1;
      stored.push({ account, meter: { ...meter, planRank } });
      return save(stored.at(-1)!);
    }
    const position = 'who' in one ? one.who % Math.max(1, stored.length) : 0;
    const it = stored[position];
    if (!it) return undefined;
    const { suspendedAt: _, ...resumed } = it.account;
    const subscription = { id: 'sub_1', planId: '2', status: 'active' } as const;
    const changes: Readonly<Record<string, () => Stored>> = {
      spend: () => {
        const amount = 'amount' in one ? Math.min(one.amount, it.meter.spendable) : 0;
        const used = { chat: (it.meter.used.chat ?? 0) + amount };
        return { ...it, meter: { ...it.meter, spendable: it.meter.spendable - amount, used } };
      },
      confirm: () => ({ ...it, account: { ...it.account, confirmedAt: now } }),
      suspend: () => ({ ...it, account: { ...it.account, suspendedAt: now } }),
      resume: () => ({ ...it, account: resumed }),
      delete: () => ({ ...it, account: { ...it.account, deletedAt: now } }),
      'miss a payment': () => ({ ...it, meter: { ...it.meter, subscription: { ...subscription, unpaidSince: 1 } } }),
      pay: () => ({ ...it, meter: { ...it.meter, subscription } }),
    };
    if (one.do === 'purge') {
      stored.splice(position, 1);
      await removeFromDirectory(database.client, tables.directory.name, it.account.id);
      await database.client.send(new DeleteCommand({ TableName: tables.accounts.name, Key: userKey(it.account.id) }));
      await database.client.send(new DeleteCommand({ TableName: tables.meters.name, Key: { a: it.account.id } }));
      return undefined;
    }
    stored[position] = changes[one.do]!();
    return save(stored[position]);
  }
  return { list, happen };
}

/** What the list must contain, computed from the rows of the tables alone. */
async function truth() {
  const [users, meters] = [await rowsOf(tables.accounts.name), await rowsOf(tables.meters.name)];
  return users.map((user) => {
    const meter = meters.find(({ a }) => a === user['id'])!;
    const spent = Object.values<number>(meter['u']).reduce((sum, amount) => sum + amount, 0) / 1_000_000;
    const held = Object.values<number[]>(meter['h']).reduce((sum, [amount = 0]) => sum + amount, 0);
    let state: AccountState = 'active';
    if (user['confirmedAt'] === undefined) state = 'unconfirmed';
    if (meter['s']?.unpaidSince !== undefined) state = 'past_due';
    if (user['suspendedAt'] !== undefined) state = 'suspended';
    if (user['deletedAt'] !== undefined) state = 'deleted';
    return {
      id: user['id'] as number,
      email: user['email'] as string | null,
      name: user['name'] as string,
      state,
      plan: planListing.find(({ id }) => id === meter['r'])!.name,
      created_at: new Date(user['createdAt']).toISOString(),
      spent,
      balance: (meter['c'] + held) / 1_000_000,
    };
  });
}

type Listed = Awaited<ReturnType<typeof truth>>[number];
const valueOf = {
  newest: ({ created_at }: Listed) => Date.parse(created_at),
  spending: ({ spent }: Listed) => spent,
  balance: ({ balance }: Listed) => balance,
};

test('the list equals the tables after any events and updates, in every order, filter and page size', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(event, { minLength: 5, maxLength: 60 }),
      fc.integer({ min: 1, max: 7 }),
      async (events, limit) => {
        await clear();
        const { list, happen } = world();
        for (const one of events) await happen(one);
        // An update that continues an interrupted one has seen the first accounts before; the next one sees all.
        await list.update();
        await list.update();
        expect(await list.update()).toMatchObject({ written: 0, isDone: true });
        const expected = await truth();

        const all = async (query: Partial<Parameters<typeof list.list>[0]>): Promise<Listed[]> => {
          const found: Listed[] = [];
          for (let cursor: string | undefined, isLast = false; !isLast;) {
            const page = await list.list({ sort: 'newest', limit, cursor, ...query });
            expect(page.accounts.length).toBeLessThanOrEqual(limit);
            found.push(...page.accounts);
            cursor = page.nextCursor ?? undefined;
            isLast = page.nextCursor === null;
          }
          return found;
        };
        for (const sort of accountOrders) {
          const sorted = expected.toSorted(
            (one, other) => valueOf[sort](other) - valueOf[sort](one) || other.id - one.id,
          );
          expect(await all({ sort })).toEqual(sorted);
        }
        const newest = expected.toSorted(
          (one, other) => valueOf.newest(other) - valueOf.newest(one) || other.id - one.id,
        );
        for (const state of accountStates)
          expect(await all({ state })).toEqual(newest.filter((one) => one.state === state));
        const plan = planListing[0]!.name;
        expect(await all({ plan, since: '2027-01-05' })).toEqual(
          newest.filter((one) => one.plan === plan && one.created_at >= '2027-01-05'),
        );
        const living = expected.filter(({ state }) => state !== 'deleted');
        const { totals } = await list.list({ sort: 'newest', limit: 1 });
        expect(totals).toEqual({
          accounts: living.length,
          new: living.filter(({ created_at }) => Date.parse(created_at) > now - 7 * day).length,
          active: living.filter(({ spent }) => spent > 0).length,
          failing: living.filter(({ state }) => state === 'past_due').length,
          spent: expect.closeTo(
            living.reduce((sum, { spent }) => sum + spent, 0),
            6,
          ),
          states: Object.fromEntries(
            accountStates.map((state) => [state, expected.filter((one) => one.state === state).length]),
          ),
        });
      },
    ),
    { numRuns: 6 },
  );
}, 120_000);
