import { expect, it } from 'vitest';
import { planOfRank } from '#contract/billing/plans.ts';
import { cents } from '#contract/payments/payments.ts';
import { atLength, patience, times } from '#test/many.ts';
import { large, small } from '#test/payments/paying-service.ts';
import { usePayingWorld } from '#test/payments/paying-world.ts';

const world = usePayingWorld();
const lives = atLength(3, 60);
const steps = atLength(10, 30);

function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
}

const planNames = ['dev_pass', 'smm_pass', 'pro_pass', 'freemium'] as const;

/** What owners, banks and networks do. Requests may be refused. */
async function act(id: number, draw: (below: number) => number): Promise<unknown> {
  const plan = planNames[draw(4)] ?? 'dev_pass';
  const current = await world.plans.current(id);
  const acts: (() => Promise<unknown>)[] = [
    () => world.buy(id, { pack: draw(2) === 0 ? small.id : large.id }),
    () => world.buy(id, { planId: plan }),
    () => world.plans.create(id, plan),
    () => world.plans.upgrade(id, plan),
    () => world.plans.downgrade(id, plan),
    () => world.plans.cancel(id, current?.id ?? ''),
    () => world.plans.resume(id, current?.id ?? ''),
    () => world.useCard(id, ['pm_card_visa', 'pm_card_chargeCustomerFail', 'pm_card_authenticationRequired'][draw(3)]),
    () => world.move({ days: 1 + draw(20) }),
    () => world.move({ days: 31, hours: 2 }),
    async () => {
      const packs = (await world.orders(id)).filter(({ kind, state }) => kind === 'pack' && state === 'granted');
      const { payment = '' } = packs[draw(Math.max(1, packs.length))]?.provider ?? {};
      await world.stripe.refunds.create({ payment_intent: payment });
    },
    async () => world.stand.faults.order({ fault: 'event_twice', count: 5 }),
    async () => world.stand.faults.order({ fault: 'event_dropped', count: 5 }),
    async () => world.stand.faults.order({ fault: 'lost_reply', method: 'POST' }),
  ];
  return acts[draw(acts.length)]?.();
}

it.each(times(lives, (life) => life))(
  "random life %i has credits for every paid cent, and Stripe charges the meter's plan",
  async (life) => {
    const draw = randomNumbers(life + 1);
    const id = await world.account();
    for (let step = 0; step < steps; step++) {
      await act(id, draw).catch(() => undefined);
      await world.drain();
    }
    world.stand.faults.clear();
    const { customer } = await world.profile(id);
    if (customer === undefined) return;
    await world.useCard(id, 'pm_card_visa');
    await world.move({ days: 10 });
    // The daily comparison makes up for lost events of refunds.
    expect(await world.differences()).toEqual([]);

    const orders = await world.orders(id);
    const granted = orders.filter(({ state }) => state === 'granted');
    const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0);
    const found = await world.stripe.customers.retrieve(customer);
    const carried = found.deleted ? 0 : found.balance;
    expect(sum(await world.charges(id)) + carried).toBe(sum(granted.map((order) => order.cents)));
    expect(orders.filter(({ state }) => state === 'paid')).toEqual([]);

    const meter = await world.meter(id);
    const left = meter.lots.filter(({ source }) => source === 'purchase').map(({ remaining }) => remaining);
    const packs = granted.filter(({ kind, lot }) => kind === 'pack' && (lot?.expiresAt ?? 0) > world.seconds());
    expect(sum(left)).toBe(sum(packs.map(({ credits }) => credits * 1_000_000)));

    const months = granted.flatMap(({ kind, period }) => (kind !== 'upgrade' && period ? [period] : []));
    expect(new Set(months.map(({ start }) => start)).size).toBe(months.length);
    const { subscription } = meter;
    if (subscription?.paidUntil === undefined || subscription.unpaidSince !== undefined) return;
    if ((subscription.endsAt ?? Number.POSITIVE_INFINITY) <= world.seconds()) return;
    const next = subscription.pending ? planOfRank(subscription.pending.planRank) : planOfRank(meter.planRank);
    const collected = await world.collected(id);
    expect(collected.ends).toBe(subscription.status === 'cancelled' || next.price === 0);
    if (next.price) expect(collected.cents).toBe(cents(next.price));
    const { items } = await world.stripe.subscriptions.retrieve((await world.profile(id)).subscription ?? '');
    expect(items.data[0]?.current_period_end).toBe(subscription.paidUntil);
  },
  patience,
);
