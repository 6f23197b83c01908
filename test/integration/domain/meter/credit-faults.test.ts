import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { planOfRank } from '#contract/billing/plans.ts';
import { routes } from '#contract/routes.ts';
import { auditLedger } from '#domain/billing/ledger.ts';
import { graceSeconds } from '#domain/meter/admission.ts';
import { grantCredits } from '#domain/meter/billing.ts';
import { balance, type Meter } from '#domain/meter/meter.ts';
import { type Charge, metering } from '#domain/meter/metering.ts';
import { meterStore } from '#repositories/meter/meters.ts';
import { ambient } from '#runtime/ambient.ts';
import { startTestDatabase } from '#test/database.ts';
import { type Fault, inTurn, randomConflicts, randomFaults } from '#test/faulty-client.ts';
import { type LedgerAccount, openLedgerAccount } from '#test/ledger-account.ts';
import { atLength, outcomeOf, patience } from '#test/many.ts';
import { attemptOn, credits, meterWith, putMeter, start } from '#test/meters.ts';

let database: Awaited<ReturnType<typeof startTestDatabase>>;
beforeAll(async () => {
  database = await startTestDatabase();
});
afterAll(() => database.close());

/** A client that counts what it sends. */
function countingClient() {
  const requests = { GetItem: 0, UpdateItem: 0, Query: 0 };
  const client = new DynamoDBClient({ endpoint: database.url });
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      (args) => {
        requests[commandName.replace(/Command$/, '') as keyof typeof requests] += 1;
        return next(args);
      },
    { step: 'initialize' },
  );
  return { client: DynamoDBDocumentClient.from(client), requests };
}

/** Something that its owner, operator or programs do with an account. */
type Deed = (account: LedgerAccount) => Promise<unknown>;
const plan = fc.constantFrom('freemium', 'dev_pass', 'smm_pass');
const deed: fc.Arbitrary<Deed> = fc.oneof(
  plan.map(
    (to): Deed =>
      (account) =>
        account.subscriptions.create(account.id, to),
  ),
  plan.map(
    (to): Deed =>
      (account) =>
        account.subscriptions.upgrade(account.id, to),
  ),
  plan.map(
    (to): Deed =>
      (account) =>
        account.subscriptions.downgrade(account.id, to),
  ),
  fc.constant<Deed>(async (account) => {
    const { subscription } = await account.current();
    return account.subscriptions.cancel(account.id, subscription?.id ?? '');
  }),
  fc.nat(500).map(
    (more): Deed =>
      ({ id, clock, meters }) =>
        meters.change(id, clock.now(), (meter) => grantCredits(meter, credits(more + 1), clock.seconds)),
  ),
  ...[1, 2, 3].map(() =>
    fc.tuple(fc.nat(credits(90)), fc.double({ min: 0, max: 1, noNaN: true })).map(
      ([held, share]): Deed =>
        (account) =>
          account.call(held, Math.floor(held * share)),
    ),
  ),
  fc.nat(credits(90)).map(
    (held): Deed =>
      (account) =>
        account.admit(held),
  ),
  fc.nat(40 * 86_400).map(
    (seconds): Deed =>
      async ({ clock }) =>
        void (clock.seconds += seconds),
  ),
  fc.constant<Deed>((account) => account.meters.sweep(account.clock.now())),
);

/** Does the deeds and tells how each went and where the account ended: all that its owner can see. */
async function lived(deeds: readonly Deed[], fault?: (requestId: string) => Fault) {
  const account = await openLedgerAccount(database.url, fault ? { fault } : {});
  const outcomes: string[] = [];
  for (const deed of deeds) outcomes.push(await outcomeOf(deed(account)));
  account.clock.seconds += 300;
  const { accountId, marks: _marks, buckets: _buckets, subscription, ...meter } = await account.current();
  await account.project();
  const rows = await account.rows(meter.seq);
  await account.close();
  expect(accountId).toBe(account.id);
  // Calls that died together are given back in no certain order.
  const requests = rows.map(({ requestId }) => requestId ?? '').toSorted();
  const entries = rows.map(({ accountId: _account, requestId: _request, ...row }) => row);
  return { outcomes, meter, entries, requests, subscription: { ...subscription, id: '' } };
}

describe('a network that loses replies and throttles', () => {
  it(
    'in 30 % of attempts leaves the same answers, balance and ledger as one that does not',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(deed, { minLength: 15, maxLength: 30 }), fc.nat(), async (deeds, seed) => {
          const faulted = await lived(deeds, inTurn(randomFaults(30, seed)));
          expect(faulted).toEqual(await lived(deeds));
        }),
        { numRuns: atLength(5, 200), endOnFailure: true },
      );
    },
    patience,
  );

  it(
    'whose transactions turn away 30 % of all writes leaves the same too',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(deed, { minLength: 15, maxLength: 30 }), fc.nat(), async (deeds, seed) => {
          expect(await lived(deeds, randomConflicts(30, seed))).toEqual(await lived(deeds));
        }),
        { numRuns: atLength(3, 100), endOnFailure: true },
      );
    },
    patience,
  );

  it(
    'even where the client gives up leaves every call charged once or not at all, and the ledger exact',
    async () => {
      for (let seed = 1; seed <= atLength(2, 40); seed++) {
        const draw = randomFaults(60, seed);
        let isOver = false;
        const account = await openLedgerAccount(database.url, { fault: () => (isOver ? 'none' : draw()) });
        const outcomes: string[] = [];
        for (let made = 0; made < 60; made++) outcomes.push(await outcomeOf(account.call(credits(2), credits(1))));
        expect(new Set(outcomes).difference(new Set(['done', 'INSUFFICIENT_CREDITS', 'SERVICE_UNAVAILABLE']))).toEqual(
          new Set(),
        );
        expect(new Set(outcomes).size).toBeGreaterThan(1);

        isOver = true;
        account.clock.seconds += 150;
        await account.meters.sweep(account.clock.now());
        const meter = await account.current();
        await account.project();
        const rows = await account.rows(meter.seq);
        expect(auditLedger(rows, meter.seq, balance(meter))).toEqual([]);
        expect(meter.holds.size).toBe(0);
        const charges = rows.filter(({ type }) => type === 'charge');
        expect(new Set(charges.map(({ requestId }) => requestId)).size).toBe(charges.length);
        expect(charges.every(({ amount }) => amount === 0 || amount === -credits(1))).toBe(true);
        const charged = charges.filter(({ amount }) => amount < 0).length;
        expect(charged).toBeGreaterThanOrEqual(outcomes.filter((outcome) => outcome === 'done').length);
        expect(meter.spendable).toBe(credits(100 - charged));
        await account.close();
      }
    },
    patience,
  );
});

describe('calls that died', () => {
  const [accounts, holds] = atLength([8, 15], [100, 100]);
  const unhurried = { callsInFlight: 1000, ceiling: 1e9 };

  it(
    'leave nothing held once a sweep has gone round, though none went for a day, and others call meanwhile',
    async () => {
      const counted = countingClient();
      const { admit, find } = metering(meterStore(database.client, 'meters', ambient.random), planOfRank);
      const { sweep } = metering(meterStore(counted.client, 'meters', ambient.random), planOfRank);
      const meters: Meter[] = [];
      for (let made = 0; made < accounts; made++) {
        const meter = await putMeter(database.client, meterWith(credits(holds), unhurried));
        await Promise.all(Array.from({ length: holds }, (_, call) => admit(attemptOn(meter, `dead-${call}`))));
        meters.push(meter);
      }
      await sweep(start + 149_000);
      for (const { accountId } of meters) expect((await find(accountId))?.holds.size).toBe(holds);

      const nextDay = start + 86_400_000;
      const other = await putMeter(database.client, meterWith(credits(1), { due: nextDay / 1000 + 1 }));
      const charge = await admit(attemptOn(other, 'alive', { now: nextDay }));
      await charge.settle(credits(1), nextDay);
      expect((await find(other.accountId))?.spendable).toBe(0);

      const before = { ...counted.requests };
      await sweep(nextDay);
      for (const { accountId } of meters) {
        expect(await find(accountId)).toMatchObject({ holds: new Map(), spendable: credits(holds) });
      }
      // One write for each dead call and one for its account's watch, and three looks at each account.
      expect(counted.requests.UpdateItem - before.UpdateItem).toBeLessThanOrEqual(accounts * (holds + 1));
      expect(counted.requests.GetItem - before.GetItem).toBeLessThanOrEqual(accounts * 3);
      expect(await sweep(nextDay)).toMatchObject({ accounts: 0 });
      counted.client.destroy();
    },
    patience,
  );

  it('of an account whose item cannot be read do not keep the sweep from the others, and the sweep says so', async () => {
    const own = await startTestDatabase();
    const { admit, sweep, find } = metering(meterStore(own.client, 'meters', ambient.random), planOfRank);
    const meters = await Promise.all(Array.from({ length: 20 }, () => putMeter(own.client, meterWith(credits(1)))));
    for (const meter of meters) await admit(attemptOn(meter, 'dead'));
    const broken = meters.splice(4, 1)[0]!;
    await own.client.send(
      new UpdateCommand({
        TableName: 'meters',
        Key: { a: broken.accountId },
        UpdateExpression: 'SET n = :text',
        ExpressionAttributeValues: { ':text': 'not a number' },
      }),
    );
    await expect(sweep(start + 200_000)).rejects.toThrow('1 accounts could not be swept');
    for (const { accountId } of meters) expect((await find(accountId))?.holds.size).toBe(0);
    await own.close();
  });

  it('are found by the first sweep after their deadline, also a short one behind long ones that still run', async () => {
    const { admit, sweep, find } = metering(meterStore(database.client, 'meters', ambient.random), planOfRank);
    const meter = await putMeter(database.client, meterWith(credits(20), unhurried));
    const at = (seconds: number) => start + seconds * 1000;
    const heldAfterSweep = async (seconds: number) => {
      await sweep(at(seconds));
      return [...((await find(meter.accountId))?.holds.keys() ?? [])].toSorted();
    };
    const call = (name: string, seconds: number, timeout: number) =>
      admit(attemptOn(meter, name, { now: at(seconds), deadline: start / 1000 + seconds + timeout + graceSeconds }));

    await call('long', 0, 300);
    await call('short', 1, 28);
    expect(await heldAfterSweep(88)).toEqual(['long', 'short']);
    expect(await heldAfterSweep(89)).toEqual(['long']);
    await call('later', 100, 28);
    expect(await heldAfterSweep(187)).toEqual(['later', 'long']);
    expect(await heldAfterSweep(188)).toEqual(['long']);
    expect(await heldAfterSweep(360)).toEqual([]);
    expect(await sweep(at(361))).toMatchObject({ accounts: 0 });
  });

  it('are charged what they had noted as delivered, and nothing where they had noted nothing', async () => {
    const account = await openLedgerAccount(database.url);
    const [noted, silent, late] = [
      await account.admit(credits(5)),
      await account.admit(credits(5)),
      await account.admit(credits(5)),
    ];
    expect([await noted.noteDelivered(credits(1)), await noted.noteDelivered(credits(3))]).toEqual([true, true]);
    expect(await late.noteDelivered(credits(9))).toBe(true);
    await late.settle(credits(2), account.clock.now());
    expect([silent.isOpen, late.isOpen]).toEqual([true, false]);
    account.clock.seconds += 150;
    await account.meters.sweep(account.clock.now());
    expect(await noted.noteDelivered(credits(4))).toBe(false);
    const meter = await account.current();
    expect(meter).toMatchObject({ spendable: credits(95), holds: new Map(), callsThisMonth: 2 });
    await account.project();
    const rows = await account.rows(meter.seq);
    expect(
      rows
        .filter(({ type }) => type === 'charge')
        .map(({ amount }) => amount)
        .toSorted((a, b) => a - b),
    ).toEqual([-credits(3), -credits(2), 0]);
    expect(auditLedger(rows, meter.seq, balance(meter))).toEqual([]);
    await account.close();
  });

  it('are never charged more than was held, whatever they had noted', async () => {
    const account = await openLedgerAccount(database.url);
    const charge = await account.admit(credits(5));
    await charge.noteDelivered(credits(70));
    account.clock.seconds += 150;
    await account.meters.sweep(account.clock.now());
    expect((await account.current()).spendable).toBe(credits(95));
    await account.close();
  });

  it('free their places in flight when their deadline has passed, and not before', async () => {
    const { admit } = metering(meterStore(database.client, 'meters', ambient.random), planOfRank);
    const meter = await putMeter(database.client, meterWith(credits(10), { callsInFlight: 3, ceiling: 1000 }));
    for (const call of ['one', 'two', 'three']) await admit(attemptOn(meter, call));
    const early = admit(attemptOn(meter, 'early', { now: start + 149_999 }));
    await expect(early).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', retryAfterSeconds: 1 });
    await admit(attemptOn(meter, 'in time', { now: start + 150_000 }));
  });
});

describe('workers whose clocks differ', () => {
  const timeout = Math.max(...Object.values(routes).map(({ timeoutSeconds }) => timeoutSeconds));

  /** A call on a worker that is right; whoever else acts has a clock that is off by so many seconds. */
  async function callWhileSwept(
    skew: number,
  ): Promise<{ charge: Charge; account: LedgerAccount; swept: Promise<unknown> }> {
    const account = await openLedgerAccount(database.url);
    const { id, clock, meters } = account;
    const deadline = clock.seconds + timeout + graceSeconds;
    const about = { accountId: id, keyId: 'key-1', service: 'chat', model: 'svc-1', minPlanRank: 1 } as const;
    const charge = await meters.admit({ ...about, requestId: 'call', amount: credits(4), now: clock.now(), deadline });
    clock.seconds += timeout;
    return { charge, account, swept: meters.sweep((clock.seconds + skew) * 1000) };
  }

  it.each([-30, 0, 30])('by %i s never end a call that may still be running', async (skew) => {
    const { charge, account, swept } = await callWhileSwept(skew);
    await swept;
    await charge.settle(credits(3), account.clock.now());
    expect((await account.current()).spendable).toBe(credits(97));
    await account.close();
  });

  it.each([-300, 300])('by %i s leave the money exact: the call is charged once, or not at all', async (skew) => {
    const { charge, account, swept } = await callWhileSwept(skew);
    await swept;
    await charge.settle(credits(3), account.clock.now());
    const meter = await account.current();
    expect(meter.spendable).toBe(skew > 0 ? credits(100) : credits(97));
    await account.project();
    expect(auditLedger(await account.rows(meter.seq), meter.seq, balance(meter))).toEqual([]);
    await account.close();
  });

  it('leave no expired credit to spend past the deadline of the call that gave it back with a slow clock', async () => {
    const account = await openLedgerAccount(database.url);
    const { clock, meters, id } = account;
    const { due } = await account.current();
    clock.seconds = due - 20;
    const charge = await account.admit(credits(60));
    await meters.current(id, (due + 5) * 1000);
    await charge.settle(credits(10), (due - 10) * 1000);
    const after = await meters.current(id, (due - 20 + 150) * 1000);
    expect(after.spendable).toBe(credits(100));
    expect(after.lots).toHaveLength(1);
    await account.close();
  });
});
