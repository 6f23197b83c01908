import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { grantCredits } from '#domain/billing/grants.ts';
import { balance } from '#domain/meter/meter.ts';
import { useTestDatabase } from '#test/database/database.ts';
import { type Fault, inTurn, randomConflicts, randomFaults } from '#test/database/faulty-client.ts';
import { atLength, outcomeOf, patience } from '#test/many.ts';
import { auditLedger } from '#test/meter/audit-ledger.ts';
import { type LedgerAccount, openLedgerAccount } from '#test/meter/ledger-account.ts';
import { credits } from '#test/meter/meters.ts';

const database = useTestDatabase();

/** An action of an account's owner, an operator or a program. */
type Action = (account: LedgerAccount) => Promise<unknown>;
const change = fc.constantFrom('create', 'upgrade', 'downgrade');
const plan = fc.constantFrom('freemium', 'dev_pass', 'smm_pass');
const subscribing = fc.tuple(change, plan).map(
  ([act, to]): Action =>
    ({ id, subscriptions }) =>
      subscriptions[act](id, to),
);
const action: fc.Arbitrary<Action> = fc.oneof(
  subscribing,
  subscribing,
  subscribing,
  fc.constant<Action>(async (account) => {
    const { subscription } = await account.current();
    return account.subscriptions.cancel(account.id, subscription?.id ?? '');
  }),
  fc.nat(500).map(
    (more): Action =>
      ({ id, clock, meters }) =>
        meters.change(id, clock.now(), (meter) => grantCredits(meter, credits(more + 1), clock.seconds)),
  ),
  ...[1, 2, 3].map(() =>
    fc.tuple(fc.nat(credits(90)), fc.double({ min: 0, max: 1, noNaN: true })).map(
      ([held, share]): Action =>
        (account) =>
          account.call(held, Math.floor(held * share)),
    ),
  ),
  fc.nat(credits(90)).map(
    (held): Action =>
      (account) =>
        account.admit(held),
  ),
  fc.nat(40 * 86_400).map(
    (seconds): Action =>
      async ({ clock }) =>
        void (clock.seconds += seconds),
  ),
  fc.constant<Action>((account) => account.meters.sweep(account.clock.now())),
);

/** Runs the actions. Returns their outcomes and the final state that the owner can see. */
async function lived(actions: readonly Action[], fault?: (requestId: string) => Fault) {
  const account = await openLedgerAccount(database.url, fault ? { fault } : {});
  const outcomes: string[] = [];
  for (const action of actions) outcomes.push(await outcomeOf(action(account)));
  account.clock.seconds += 300;
  const { accountId, marks: _marks, buckets: _buckets, subscription, ...meter } = await account.current();
  await account.project();
  const rows = await account.rows(meter.seq);
  await account.close();
  expect(accountId).toBe(account.id);
  // Refunds of calls that crashed together have no fixed order.
  const requests = rows.map(({ requestId }) => requestId ?? '').toSorted();
  const entries = rows.map(({ accountId: _account, requestId: _request, ...row }) => row);
  return { outcomes, meter, entries, requests, subscription: { ...subscription, id: '' } };
}

describe('a faulty network', () => {
  it(
    'that loses or throttles 30% of attempts changes no outcome, balance or ledger',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(action, { minLength: 15, maxLength: 30 }), fc.nat(), async (actions, seed) => {
          const faulted = await lived(actions, inTurn(randomFaults(30, seed)));
          expect(faulted).toEqual(await lived(actions));
        }),
        { numRuns: atLength(5, 200), endOnFailure: true },
      );
    },
    patience,
  );

  it(
    'that cancels 30% of writes by conflicts changes no outcome, balance or ledger',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(action, { minLength: 15, maxLength: 30 }), fc.nat(), async (actions, seed) => {
          expect(await lived(actions, randomConflicts(30, seed))).toEqual(await lived(actions));
        }),
        { numRuns: atLength(3, 100), endOnFailure: true },
      );
    },
    patience,
  );

  it(
    'charges every call once or not at all and keeps the ledger exact, even if the client gives up',
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
