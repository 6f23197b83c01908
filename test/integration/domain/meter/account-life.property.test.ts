import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findPlan, planOfRank } from '#contract/billing/plans.ts';
import type { ServiceName } from '#contract/billing/prices.ts';
import { meterShards } from '#contract/platform/resources.ts';
import { type LimitPeriod, limitPeriods } from '#contract/shared/limits.ts';
import { creditsView } from '#domain/billing/balance.ts';
import { grantCredits } from '#domain/billing/grants.ts';
import { currentLots, mergedLots } from '#domain/meter/lots.ts';
import { balance } from '#domain/meter/meter.ts';
import type { OpenHold } from '#domain/meter/metering.ts';
import { useTestDatabase } from '#test/database/database.ts';
import { type Fault, inTurn } from '#test/database/faulty-client.ts';
import { atLength, outcomeOf, patience } from '#test/many.ts';
import { monthsAfter } from '#test/meter/account-grants.ts';
import { AccountModel, type LedgerLine, listing, type PlanName } from '#test/meter/account-model.ts';
import { auditLedger } from '#test/meter/audit-ledger.ts';
import { type LedgerAccount, openLedgerAccount } from '#test/meter/ledger-account.ts';
import { credits } from '#test/meter/meters.ts';

const database = useTestDatabase();

interface Real {
  readonly account: LedgerAccount;
  /** Faults of the next database requests. */
  readonly faults: Fault[];
  readonly open: {
    count: number;
    readonly holds: Map<string, OpenHold>;
    readonly charges: Map<string, { readonly requestId: string; readonly amount: number }>;
  };
  subscriptionId: string;
}

interface Step {
  readonly name: string;
  /** Seconds to wait without access to the account, or seconds after the next due time. */
  readonly wait: number | { readonly afterDue: number };
  readonly faults: readonly Fault[];
  /** Runs the action on both. Returns the two outcomes. */
  readonly act: (model: AccountModel, real: Real) => Promise<{ expected: unknown; outcome: unknown }>;
}

const keyLimit = credits(4000);
const plan = fc.constantFrom(...(Object.keys(listing) as PlanName[]));
const amount = fc.oneof(fc.nat(credits(40)), fc.nat(credits(6000)), fc.nat(credits(120_000)));
const afterDue = fc.record({ afterDue: fc.constantFrom(-1, 0, 1) });
const soon = fc.oneof(fc.constant(0), fc.nat(200));
const wait = fc.oneof(
  { weight: 6, arbitrary: soon },
  { weight: 2, arbitrary: fc.nat(15 * 86_400) },
  { weight: 2, arbitrary: fc.nat(70 * 86_400) },
  { weight: 2, arbitrary: afterDue },
);
const faults = fc.array(
  fc.oneof({ weight: 2, arbitrary: fc.constant('none' as const) }, fc.constantFrom<Fault>('lost reply', 'throttle')),
  { maxLength: 8 },
);

const choose =
  (change: 'subscribe' | 'upgrade' | 'downgrade' | 'assign') =>
  (to: PlanName): Step['act'] =>
  async (model, { account: { id, subscriptions } }) => {
    const expected = model[change](to);
    const chosen = subscriptions[change === 'subscribe' ? 'create' : change](id, to);
    return { expected, outcome: await outcomeOf(chosen) };
  };
const cancel: Step['act'] = async (model, { account, subscriptionId }) => {
  const expected = model.cancel();
  return { expected, outcome: await outcomeOf(account.subscriptions.cancel(account.id, subscriptionId)) };
};
const resume: Step['act'] = async (model, { account, subscriptionId }) => {
  const expected = model.resume();
  return { expected, outcome: await outcomeOf(account.subscriptions.resume(account.id, subscriptionId)) };
};
const topUp = (whole: number): Step['act'] => {
  return async (model, { account: { id, clock, meters } }) => {
    model.grant('purchase', whole, monthsAfter(model.now, 3));
    const grant = meters.change(id, clock.now(), (meter) => grantCredits(meter, credits(whole), clock.seconds));
    return { expected: 'done', outcome: await outcomeOf(grant) };
  };
};
/** An admitted call. It counts as crashed unless a later step settles it. */
const call = (held: number, service: ServiceName, limited: LimitPeriod | undefined): Step['act'] => {
  return async (model, { account, open }) => {
    const id = `${(open.count += 1)}`;
    const expected = model.admit(id, held, model.now + 150, service, limited);
    const admitted = account.admit(held, service, limited).then((openHold) => open.holds.set(id, openHold));
    return { expected, outcome: await outcomeOf(admitted) };
  };
};
const settle = (which: number, share: number): Step['act'] => {
  return async (model, { account, open }) => {
    const [id, openHold] = pick(open.holds, which);
    if (id !== undefined && openHold) {
      const cost = Math.floor(openHold.held * share);
      model.settle(id, cost);
      await openHold.settle(cost, account.clock.now());
    }
    return { expected: 'done', outcome: 'done' };
  };
};
const record = (which: number, share: number): Step['act'] => {
  return async (model, { open }) => {
    const [id, openHold] = pick(open.holds, which);
    if (id === undefined || !openHold) return { expected: 'done', outcome: 'done' };
    const cost = Math.floor(openHold.held * share);
    model.record(id, cost);
    return { expected: 'done', outcome: await outcomeOf(openHold.recordProgress(cost)) };
  };
};
/** A job or message that is charged before its result is known. */
const charge = (which: number): Step['act'] => {
  return async (model, { account, open }) => {
    const [id, openHold] = pick(open.holds, which);
    if (id === undefined || !openHold || openHold.held === 0) return { expected: 'done', outcome: 'done' };
    const kept = await account.keep(openHold);
    open.holds.delete(id);
    const isKept = model.keep(id);
    if (isKept) open.charges.set(id, { requestId: kept, amount: openHold.held });
    return { expected: isKept, outcome: kept !== 'hold closed' };
  };
};
const refund = (which: number, share: number): Step['act'] => {
  return async (model, { account, open }) => {
    const [id, kept] = pick(open.charges, which);
    if (id === undefined || !kept) return { expected: 'done', outcome: 'done' };
    open.charges.delete(id);
    const amount = Math.floor(kept.amount * share);
    model.refund(id, amount);
    return { expected: 'done', outcome: await account.refund(kept.requestId, amount) };
  };
};
const pick = <T>(from: ReadonlyMap<string, T>, which: number): [string, T] | [] =>
  [...from][which % Math.max(1, from.size)] ?? [];

const sweep: Step['act'] = async (_, { account }) => ({
  expected: 'done',
  outcome: await outcomeOf(account.meters.sweep(account.clock.now(), { shards: [account.id % meterShards] })),
});

const calls = fc
  .tuple(
    amount,
    fc.constantFrom<ServiceName>('chat', 'transcription', 'sms'),
    fc.option(fc.constantFrom(...limitPeriods), { nil: undefined }),
  )
  .map(([held, service, limited]) => call(held, service, limited));
const refunded = fc.tuple(fc.nat(9), fc.constantFrom(0, 0.3, 1, 1)).map(([which, share]) => refund(which, share));

const stepOf = (name: string, act: fc.Arbitrary<Step['act']>, waits: fc.Arbitrary<Step['wait']> = wait) =>
  fc.record({ name: fc.constant(name), wait: waits, faults, act });

const steps: fc.Arbitrary<fc.AsyncCommand<AccountModel, Real>>[] = [
  stepOf('subscribe', plan.map(choose('subscribe'))),
  stepOf('upgrade', plan.map(choose('upgrade'))),
  stepOf('downgrade', plan.map(choose('downgrade'))),
  stepOf('cancel', fc.constant(cancel)),
  stepOf('resume', fc.constant(resume)),
  stepOf('cancel', fc.constant(cancel), soon),
  stepOf('resume', fc.constant(resume), soon),
  stepOf('subscribe', plan.map(choose('subscribe')), soon),
  stepOf('top up', fc.integer({ min: 1, max: 5000 }).map(topUp)),
  stepOf('assign', plan.map(choose('assign'))),
  stepOf('call', calls),
  stepOf('call', calls, soon),
  stepOf('call', calls, soon),
  stepOf(
    'record',
    fc.tuple(fc.nat(9), fc.constantFrom(0, 0.3, 1, 2)).map(([which, share]) => record(which, share)),
    soon,
  ),
  stepOf('charge', fc.nat(9).map(charge), soon),
  stepOf('charge', fc.nat(9).map(charge), soon),
  stepOf('refund', refunded),
  stepOf('refund', refunded, soon),
  stepOf(
    'settle',
    fc.tuple(fc.nat(9), fc.constantFrom(0, 0.3, 1, 2)).map(([which, share]) => settle(which, share)),
    soon,
  ),
  stepOf('sweep', fc.constant(sweep)),
].map((step) => step.map(commandOf));

function commandOf(step: Step): fc.AsyncCommand<AccountModel, Real> {
  return {
    check: () => true,
    toString: () => `${JSON.stringify(step.wait)} s later ${step.name}, ${step.faults.join(', ') || 'no faults'}`,
    async run(model, real) {
      const { account } = real;
      account.clock.seconds += typeof step.wait === 'number' ? step.wait : untilDue(model, step.wait.afterDue);
      const hasExpiredHold = model.holds.values().some(({ deadline }) => deadline <= account.clock.seconds);
      model.tick(account.clock.seconds);
      // A call does not wait for the sweep of expired holds. If waiting would change the admission, sweep first.
      if (hasExpiredHold) await account.current();
      real.faults.splice(0, Infinity, ...step.faults);
      const { expected, outcome } = await step.act(model, real);
      expect(outcome).toEqual(expected);
      await compare(model, real);
    },
  };
}

const untilDue = (model: AccountModel, after: number): number => Math.max(0, model.nextDue() + after - model.now);

/** Compares the displayed and stored state with the model. */
async function compare(model: AccountModel, real: Real): Promise<void> {
  const { account } = real;
  const meter = await account.current();
  expect(meter.spendable).toBeGreaterThanOrEqual(0);
  expect(meter.spendable).toBe(model.spendable);
  expect(creditsView(meter)).toMatchObject({
    balance: Math.floor(model.spendable / 1e6),
    held: Math.ceil(model.held / 1e6),
  });
  const lots = mergedLots(meter).map(({ source, granted, remaining: left, expiresAt }) => ({
    source,
    granted,
    left,
    expiresAt,
  }));
  expect(lots).toEqual(model.lots);
  for (const { granted, remaining } of currentLots(meter)) expect(remaining).toBeLessThanOrEqual(granted);
  expect(model.minted.credits).toBeLessThanOrEqual(listing[model.minted.topPlan]);
  expect([planOfRank(meter.planRank).name, meter.callsThisMonth]).toEqual([model.plan, model.calls]);
  const budgets = meter.budgets.entries().map(([id, budget]) => [id.replace('limited-', ''), budget]);
  expect(Object.fromEntries(budgets)).toEqual(Object.fromEntries(model.budgets));

  const shown = await account.subscriptions.current(account.id);
  real.subscriptionId = shown?.id ?? real.subscriptionId;
  expect(shown?.status ?? 'none').toBe(model.status);
  if (!shown) return;
  const ofItsPlan = shown.status === 'active' ? listing[model.plan] : findPlan(shown.planId)?.creditsPerMonth;
  expect(shown.monthlyCredits).toBe(ofItsPlan);
  expect(shown.creditsUsed).toBe(Math.ceil(model.usedInMonth / 1e6));
  expect(shown.pendingPlanId).toBe(model.status === 'active' ? model.pending : undefined);
  const { endsAt, creditsExpireAt } = shown;
  expect(creditsExpireAt && Date.parse(creditsExpireAt) / 1000).toBe(
    model.status === 'cancelled' ? model.ends.credits : undefined,
  );
  const next = Math.min(endsAt ? Date.parse(endsAt) / 1000 : Infinity, model.monthEnd());
  expect(shown.nextBillingDate).toBe(new Date(next * 1000).toISOString().slice(0, 10));
}

/**
 * Compares the ledger with the model's: the order of rows, and the credits that expired at each time. A finished call may be
 * settled before or after the credits that expired while it was running.
 */
async function compareLedger(model: AccountModel, account: LedgerAccount): Promise<void> {
  const meter = await account.current();
  await account.project();
  const rows = await account.rows(meter.seq);
  expect(auditLedger(rows, meter.seq, balance(meter))).toEqual([]);
  expect(inOrder(rows)).toEqual(inOrder(model.ledger));
  expect(expiredByTime(rows)).toEqual(expiredByTime(model.ledger));
}

const inOrder = (rows: readonly LedgerLine[]) =>
  rows.filter(({ type }) => type !== 'expiry').map(({ type, at, amount }) => ({ type, at, amount: amount + 0 }));

function expiredByTime(rows: readonly LedgerLine[]): Record<number, number> {
  const expired: Record<number, number> = {};
  for (const { type, at, amount } of rows) if (type === 'expiry') expired[at] = (expired[at] ?? 0) + amount;
  return expired;
}

describe('an account under random actions of its owner, operators, calls, jobs, time and the network', () => {
  it(
    'matches a simple model of credits, lots, subscription, budgets and ledger after every step',
    async () => {
      const opened = fc.record({ day: fc.nat(800), second: fc.nat(86_399) });
      await fc.assert(
        fc.asyncProperty(
          opened,
          fc.array(fc.oneof(...steps), { minLength: 40, maxLength: 60, size: 'max' }),
          async ({ day, second }, commands) => {
            const at = Date.UTC(2027, 0, 1 + day) / 1000 + second;
            const faults: Fault[] = [];
            const account = await openLedgerAccount(database.url, {
              at,
              keyLimit,
              fault: inTurn(() => faults.shift()),
            });
            const real: Real = {
              account,
              faults,
              open: { count: 0, holds: new Map(), charges: new Map() },
              subscriptionId: '',
            };
            try {
              const model = new AccountModel(at, keyLimit);
              await fc.asyncModelRun(() => ({ model, real }), commands);
              await compareLedger(model, account);
            } finally {
              await account.close();
            }
          },
        ),
        { endOnFailure: true, numRuns: atLength(8, 1000) },
      );
    },
    patience,
  );
});
