import { describe, expect, it } from 'vitest';
import { planOfRank } from '#contract/billing/plans.ts';
import { cents } from '#contract/payments/payments.ts';
import { patience, seed, someOf, outcomeOf } from '#test/many.ts';
import { small } from '#test/payments/paying-service.ts';
import { usePayingWorld } from '#test/payments/paying-world.ts';

const world = usePayingWorld();

interface Flow {
  readonly name: string;
  /** What has happened before. Returns the account. */
  readonly prepare: () => Promise<number>;
  readonly run: (id: number) => Promise<unknown>;
}

async function thenDrained(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } finally {
    await world.drain();
  }
}

const flows: readonly Flow[] = [
  {
    name: 'a checkout that is paid',
    prepare: () => world.account(),
    run: async (id) => world.buy(id),
  },
  {
    name: 'a plan that is paid on the page',
    prepare: () => world.account(),
    run: async (id) => world.buy(id, { planId: 'dev_pass' }),
  },
  {
    name: 'a plan that the saved card pays',
    prepare: () => world.cardholder(),
    run: (id) => thenDrained(world.plans.create(id, 'dev_pass')),
  },
  {
    name: 'an upgrade',
    prepare: () => world.subscriber('dev_pass'),
    run: (id) => thenDrained(world.plans.upgrade(id, 'smm_pass')),
  },
  {
    name: 'an automatic top-up',
    prepare: () => world.cardholder(),
    run: async (id) => {
      await world.payments.topUps.set(id, { threshold: 601, pack: small.id, monthlyLimit: 100_000 });
      await world.drain();
    },
  },
  {
    name: 'a cancellation',
    prepare: () => world.subscriber('dev_pass'),
    run: async (id) => thenDrained(world.plans.cancel(id, (await world.plans.current(id))!.id)),
  },
];

/** Every payment has its credits, every credit its payment, and Stripe collects what the meter says. */
async function expectExact(id: number): Promise<void> {
  const orders = await world.orders(id);
  const granted = orders.filter(({ state }) => state === 'granted');
  const net = (await world.charges(id)).filter((cents) => cents > 0);
  expect(net).toEqual(granted.map(({ cents }) => cents).toSorted((one, other) => one - other));
  const creditsOf = (kinds: readonly string[]) =>
    granted.filter(({ kind }) => kinds.includes(kind)).reduce((sum, { credits }) => sum + credits, 0);
  expect(await world.granted(id, 'purchase')).toBe(creditsOf(['pack', 'top_up']));
  expect(await world.granted(id, 'plan')).toBe(creditsOf(['plan', 'renewal', 'upgrade']));
  const { subscription } = await world.meter(id);
  const { customer, subscription: stripeId } = await world.profile(id);
  const running =
    customer === undefined ? [] : (await world.stripe.subscriptions.list({ customer, status: 'active' })).data;
  expect(running).toHaveLength(subscription?.status === undefined ? 0 : 1);
  if (subscription) {
    expect(running[0]?.id).toBe(stripeId);
    expect(running[0]?.cancel_at_period_end).toBe(subscription.status === 'cancelled');
    const [item] = running[0]?.items.data ?? [];
    expect(item?.current_period_end).toBe(subscription.paidUntil);
    expect(item?.price.unit_amount).toBe(cents(planOfRank((await world.meter(id)).planRank).price ?? 0));
  }
}

async function recovered(id: number): Promise<void> {
  world.die(undefined);
  world.stand.faults.clear();
  await world.drain();
  await world.move({ minutes: 6 });
  await world.move({ minutes: 70 });
  await expectExact(id);
}

describe.each(flows)('$name', ({ prepare, run }) => {
  it.each([false, true])(
    `recovers from a crash at each write (write applied: %s, SEED=${seed})`,
    async (isWritten) => {
      const first = await prepare();
      world.die(undefined);
      await run(first);
      const writes = Array.from({ length: world.writes() }, (_, index) => index + 1);
      for (const write of someOf(writes, 2, seed + Number(isWritten))) {
        const id = await prepare();
        world.die({ write, isWritten });
        await run(id).catch(() => undefined);
        await recovered(id);
      }
    },
    patience,
  );
});

describe('a charge of the saved card that the process did not survive', () => {
  const charges = flows.filter(({ name }) => /saved card|upgrade|top-up/.test(name));

  it.each(charges)(
    `is found when it is repeated after 25 hours: $name (SEED=${seed})`,
    async ({ prepare, run }) => {
      const first = await prepare();
      world.die(undefined);
      await run(first);
      const writes = Array.from({ length: world.writes() }, (_, index) => index + 1);
      for (const write of someOf(writes, 2, seed)) {
        const id = await prepare();
        world.die({ write, isWritten: true });
        await run(id).catch(() => undefined);
        world.die(undefined);
        // Stripe forgets idempotency keys after a day. No job has run since.
        await world.jump(25 / 24);
        await run(id).catch(() => undefined);
        await recovered(id);
      }
    },
    patience,
  );
});

const requests = [
  [0, 'POST', '/v1/customers'],
  [0, 'POST', '/v1/checkout/sessions'],
  [2, 'POST', '/v1/subscriptions'],
  [3, 'POST', '/v1/invoices'],
  [3, 'POST', '/v1/invoiceitems'],
  [3, 'POST', '/v1/subscriptions'],
  [4, 'POST', '/v1/invoices'],
  [5, 'POST', '/v1/subscriptions'],
] as const;

describe(`a failed request to Stripe (SEED=${seed})`, () => {
  const [lost, refused] = [someOf(requests, 4, seed), someOf(requests, 4, seed + 4)];

  it.each(lost)('is completed if its response is lost, in flow %i (%s %s)', async (index, method, path) => {
    const { prepare, run } = flows[index]!;
    const id = await prepare();
    world.stand.faults.order({ fault: 'lost_reply', method, path });
    expect(await outcomeOf(run(id))).toBe('done');
    expect(world.stand.faults.active()).toEqual([]);
    await recovered(id);
  });

  it.each(refused)('can be repeated if it is refused, in flow %i (%s %s)', async (index, method, path) => {
    const { prepare, run } = flows[index]!;
    const id = await prepare();
    world.stand.faults.order({ fault: 'rate_limit', count: 3, method, path });
    await run(id).catch(() => undefined);
    await recovered(id);
    world.stand.faults.clear();
    await world.move({ hours: 1 });
    const again = await outcomeOf(run(id));
    // An upgrade or a cancellation that had taken effect is refused.
    const isDone = index === 5 || path === '/v1/subscriptions';
    expect(again).toBe(isDone && index > 2 ? 'INVALID_STATE' : 'done');
    await recovered(id);
  });
});
