import fc from 'fast-check';
import * as v from 'valibot';
import { expect, it } from 'vitest';
import { findPlan, planOfRank } from '#contract/billing/plans.ts';
import { microPerCredit } from '#contract/billing/prices.ts';
import { isoOfSeconds } from '#contract/shared/time.ts';
import { webhookEvents } from '#contract/webhooks/webhooks.ts';
import { bringCurrent, openMeter } from '#domain/billing/grants.ts';
import { balance, type LedgerEntry, type Meter } from '#domain/meter/meter.ts';
import { periodEnd } from '#domain/meter/periods.ts';
import { type AccountEvent, type MeterChange, eventId, eventsOf } from '#domain/webhooks/events.ts';
import { atLength, patience, seed } from '#test/many.ts';
import { credits } from '#test/meter/meters.ts';
import { acts } from '#test/meter/owner-acts.ts';
import { Follower } from '#test/webhooks/folded.ts';

const day = 86_400;
const born = Date.UTC(2027, 0, 31, 12) / 1000;

const step = fc.record({
  wait: fc.oneof({ weight: 4, arbitrary: fc.nat(3 * day) }, { weight: 2, arbitrary: fc.nat(50 * day) }),
  act: fc.constantFrom(...Object.keys(acts)),
  rank: fc.integer({ min: 1, max: 4 }),
  spent: fc.oneof(fc.constant(0), fc.nat(credits(30)), fc.nat(credits(30_000))),
});
const life = fc.array(step, { minLength: 1, maxLength: 40 });

/** A month of 31 days is paid when its credits have expired, then continued on a larger plan. */
const resumedLarger = [
  { wait: 31 * day, act: 'subscribe', rank: 1, spent: 0 },
  { wait: 0, act: 'cancel', rank: 1, spent: 0 },
  { wait: 30 * day, act: 'subscribe', rank: 2, spent: 0 },
];

/** The writes of a life as stream records: each change of the meter, with its reason. */
function changesOf(steps: readonly (typeof step extends fc.Arbitrary<infer Step> ? Step : never)[]): MeterChange[] {
  const changes: MeterChange[] = [];
  let meter: Meter = openMeter(7, born, planOfRank).meter;
  let now = born;
  const write = (after: Meter, entries: readonly LedgerEntry[]) => {
    changes.push({ id: String(changes.length), before: meter, after, entries });
    meter = after;
  };
  for (const { wait, act, rank, spent } of steps) {
    now += wait;
    while (meter.due <= now) {
      const settled = bringCurrent(meter, now, planOfRank);
      write(settled.meter, settled.entries);
    }
    const amount = Math.min(spent, meter.spendable);
    if (amount > 0) write(...charged(meter, amount, now));
    const done = acts[act]!(meter, rank, now);
    if (done) write(done.meter, done.entries);
  }
  return changes;
}

/** As in a settlement. */
function charged(meter: Meter, amount: number, now: number): [Meter, LedgerEntry[]] {
  const used = { ...meter.used, chat: (meter.used.chat ?? 0) + amount };
  const entry: LedgerEntry = { type: 'charge', at: now, amount: -amount, service: 'chat', requestId: `r${now}` };
  return [{ ...meter, spendable: meter.spendable - amount, used, seq: meter.seq + 1 }, [entry]];
}

const shown = (meter: Meter) => {
  const subscription = meter.subscription;
  return (
    subscription && { id: subscription.id, plan: findPlan(subscription.planId)!.name, status: subscription.status }
  );
};

const types = (about: string) => Object.keys(webhookEvents).filter((type) => type.startsWith(about));

it(
  `webhook events reproduce subscription and credits after each write of any account (SEED=${seed})`,
  () => {
    const met = new Set<string>();
    const property = fc.property(life, (steps) => {
      const follower = new Follower();
      const begun = openMeter(7, born, planOfRank).meter;
      let spent = 0;
      for (const change of changesOf(steps)) {
        follower.take(eventsOf(change));
        for (const { type, amount } of change.entries) if (type === 'charge') spent -= amount;
        expect(follower.subscription).toEqual(shown(change.after));
        expect(balance(begun) + follower.granted - follower.expired - spent).toBe(balance(change.after));
        if (follower.subscription?.status === 'active' && follower.periodEnd !== undefined)
          expect(follower.periodEnd).toBe(isoOfSeconds(periodEnd(change.after.period)));
      }
      for (const type of follower.seen) met.add(type);
    });
    fc.assert(property, { seed, numRuns: atLength(300, 20_000), examples: [[resumedLarger]] });
    expect([...met].toSorted()).toEqual([...types('credits.'), ...types('subscription.')].toSorted());
  },
  patience,
);

it(
  'events of any account have unique ids, which repeats in any order keep',
  () => {
    const named = (change: MeterChange): [string, AccountEvent][] =>
      eventsOf(change).map((event, index) => [eventId(change.after.accountId, change.id, index), event]);
    const property = fc.property(life, fc.infiniteStream(fc.nat()), (steps, picks) => {
      const changes = changesOf(steps);
      const once = changes.flatMap(named);
      expect(new Set(once.map(([id]) => id)).size).toBe(once.length);
      const again = [...changes, ...changes]
        .map((change) => ({ change, place: picks.next().value ?? 0 }))
        .toSorted((one, other) => one.place - other.place)
        .flatMap(({ change }) => named(change));
      expect(new Map(again)).toEqual(new Map(once));
    });
    fc.assert(property, { seed, numRuns: atLength(50, 2000) });
  },
  patience,
);

it('events of any account match their schema and are ordered by the ledger', { timeout: patience }, () => {
  const property = fc.property(life, (steps) => {
    for (const change of changesOf(steps)) {
      const { seq } = change.after;
      for (const event of eventsOf(change)) {
        expect(v.parse(webhookEvents[event.type].data, event.data)).toEqual(event.data);
        const about = event.data as { seq: number };
        expect(about.seq).toBeGreaterThan(seq - change.entries.length);
        expect(about.seq).toBeLessThanOrEqual(seq);
      }
    }
  });
  fc.assert(property, { seed, numRuns: atLength(50, 2000) });
});

it('credits are reported low at 80% of the month and exhausted below one credit, once each', () => {
  const meter = { ...openMeter(7, born, planOfRank).meter, spendable: credits(100) };
  const follower = new Follower();
  let current: Meter = meter;
  for (const amount of [79, 1, 10, 9.5, 0.5].map(credits)) {
    const [after, entries] = charged(current, amount, born + 1);
    follower.take(eventsOf({ id: 'x', before: current, after, entries }));
    current = after;
  }
  expect(follower.seen).toEqual(['credits.low', 'credits.exhausted']);
  expect(microPerCredit).toBe(1_000_000);
});
