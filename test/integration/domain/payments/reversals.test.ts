import { describe, expect, it } from 'vitest';
import { services } from '#runtime/services/container.ts';
import { outcomeOf } from '#test/many.ts';
import { small } from '#test/payments/paying-service.ts';
import { usePayingWorld } from '#test/payments/paying-world.ts';

const world = usePayingWorld();
const free = 100;

/** Refunds cents of an order, as in Stripe's Dashboard. Returns the refund's id. */
async function refund(id: number, order: string, amount: number): Promise<string> {
  const { provider } = (await world.order(id, order))!;
  const made = await world.stripe.refunds.create({ payment_intent: provider.payment ?? '', amount });
  await world.drain();
  return made.id;
}

async function buyer(): Promise<{ id: number; order: string }> {
  const id = await world.account();
  return { id, order: await world.buy(id) };
}

const taken = (cents: number): number => Math.floor((small.credits * 1_000_000 * cents) / small.cents);

describe('a refund', () => {
  it('in three parts takes back credits in proportion, and exactly all at the end', async () => {
    const { id, order } = await buyer();
    const steps = [];
    for (const [part, total] of [
      [1, 1],
      [166, 167],
      [small.cents - 167, small.cents],
    ] as const) {
      await refund(id, order, part);
      const { spendable } = await world.meter(id);
      expect(free * 1_000_000 + small.credits * 1_000_000 - spendable).toBe(taken(total));
      steps.push((await world.order(id, order))!.state);
    }
    expect(steps).toEqual(['granted', 'granted', 'refunded']);
    expect(await world.balance(id)).toBe(free);
    expect(await world.order(id, order)).toMatchObject({ shortfall: 0, refundedCents: small.cents });
  });

  it('of spent credits takes back the rest, and the shortfall blocks purchases until it is cleared', async () => {
    const { id, order } = await buyer();
    await world.leave(id, 40);

    await refund(id, order, small.cents);

    const reversed = (await world.order(id, order))!;
    expect(await world.balance(id)).toBeGreaterThanOrEqual(0);
    expect(reversed.taken! + reversed.shortfall!).toBe(small.credits * 1_000_000);
    expect(reversed.shortfall).toBeGreaterThan(0);
    expect(await outcomeOf(world.open(id))).toBe('INVALID_STATE');
    await world.payments.store.save(reversed, { shortfall: 0 });
    expect(await outcomeOf(world.open(id))).toBe('done');
  });

  it('does not take back credits that a running call holds', async () => {
    const { id, order } = await buyer();
    const call = { service: 'chat', model: 'svc-1', minPlanRank: 1, requestId: 'req_1', keyId: undefined } as const;
    const deadline = world.seconds() + 90;
    const hold = await services()
      .metering()
      .admit({ accountId: id, amount: 400_000_000, deadline, now: world.now(), ...call });

    await refund(id, order, small.cents);

    expect((await world.meter(id)).spendable).toBeGreaterThanOrEqual(0);
    expect((await world.order(id, order))!.shortfall).toBeGreaterThan(0);
    await hold.settle(400_000_000, world.now());
    expect((await world.meter(id)).spendable).toBeGreaterThanOrEqual(0);
  });

  it('returns the credits with their old expiry if it fails', async () => {
    const { id, order } = await buyer();
    const { lots } = await world.meter(id);
    const made = await refund(id, order, small.cents);
    expect(await world.balance(id)).toBe(free);

    await world.script(made, 'refund_failed');

    expect(await world.balance(id)).toBe(free + small.credits);
    expect((await world.meter(id)).lots.map(({ source, expiresAt }) => [source, expiresAt])).toEqual(
      lots.map(({ source, expiresAt }) => [source, expiresAt]),
    );
    expect(await world.order(id, order)).toMatchObject({ state: 'granted', refundedCents: 0, taken: 0 });
  });

  it('of one of two packs in the same lot takes back only its credits', async () => {
    const { id, order } = await buyer();
    await world.buy(id);
    expect((await world.meter(id)).lots.filter(({ source }) => source === 'purchase')).toHaveLength(1);
    await refund(id, order, small.cents);
    expect(await world.balance(id)).toBe(free + small.credits);
  });

  it('of a plan’s month takes back its credits and makes the plan past due, which ends after 7 days', async () => {
    const id = await world.account();
    const order = await world.buy(id, { planId: 'dev_pass' });

    await refund(id, order, 2999);

    const { subscription } = await world.meter(id);
    expect(subscription).toMatchObject({ status: 'active', unpaidSince: world.seconds() });
    expect(await world.plans.current(id)).toMatchObject({ pastDue: { reason: 'payment_returned' } });
    const upgrade = world.plans.upgrade(id, 'smm_pass');
    await expect(upgrade).rejects.toThrow('The payment of the current month was refunded or disputed.');
    expect(await world.balance(id)).toBe(free);
    expect(await world.order(id, order)).toMatchObject({ state: 'refunded' });
    await world.move({ days: 8 });
    expect((await world.meter(id)).planRank).toBe(1);
    expect(await world.collected(id)).toMatchObject({ status: 'canceled' });
  });

  it('after a cancellation takes back credits of the plan’s shortened lot', async () => {
    const id = await world.account();
    const order = await world.buy(id, { planId: 'dev_pass' });
    await world.plans.cancel(id, (await world.plans.current(id))!.id);

    await refund(id, order, 2999);

    expect(await world.balance(id)).toBe(free);
    expect(await world.order(id, order)).toMatchObject({ state: 'refunded', shortfall: 0 });
  });
});

describe('a dispute', () => {
  it('takes back the credits, and returns them if it is won', async () => {
    const { id, order } = await buyer();
    await world.script(order, 'disputed');
    expect([await world.balance(id), (await world.order(id, order))!.state]).toEqual([free, 'disputed']);

    await world.script(order, 'won');

    expect([await world.balance(id), (await world.order(id, order))!.state]).toEqual([free + small.credits, 'granted']);
  });

  it('takes them back again if it was won and then refunded', async () => {
    const { id, order } = await buyer();
    await world.script(order, 'disputed');
    await world.script(order, 'won');
    expect(await world.balance(id)).toBe(free + small.credits);
    const { provider } = (await world.order(id, order))!;
    await world.stripe.refunds.create({ payment_intent: provider.payment ?? '' }).catch(() => undefined);
    await world.drain();
    const { refundedCents = 0 } = (await world.order(id, order))!;
    expect(await world.balance(id)).toBe(free + small.credits - taken(refundedCents) / 1_000_000);
  });

  it('keeps them if it is lost', async () => {
    const { id, order } = await buyer();
    await world.script(order, 'disputed');
    await world.script(order, 'lost');
    expect([await world.balance(id), (await world.order(id, order))!.state]).toEqual([free, 'disputed']);
  });

  it('takes back no credit twice after a partial refund', async () => {
    const { id, order } = await buyer();
    await refund(id, order, 200);
    await world.script(order, 'disputed');

    const reversed = (await world.order(id, order))!;
    expect(await world.balance(id)).toBe(free);
    expect([reversed.taken, reversed.shortfall]).toEqual([small.credits * 1_000_000, 0]);
    await world.script(order, 'won');
    expect((await world.meter(id)).spendable).toBe((free + small.credits) * 1_000_000 - taken(200));
  });

  it('takes back nothing as an inquiry, even when it is closed', async () => {
    const { id, order } = await buyer();
    await world.script(order, 'inquiry');
    expect([await world.balance(id), (await world.order(id, order))!.state]).toEqual([free + small.credits, 'granted']);
    await world.script(order, 'won');
    expect(await world.balance(id)).toBe(free + small.credits);
  });

  it('returns only the credits that it took back if it is won', async () => {
    const { id, order } = await buyer();
    await world.leave(id, 300);
    await world.script(order, 'disputed');
    const { shortfall = 0 } = (await world.order(id, order))!;
    expect(shortfall).toBeGreaterThan(0);
    expect(await outcomeOf(world.open(id))).toBe('INVALID_STATE');

    await world.script(order, 'won');

    expect(await world.balance(id)).toBe(300);
    expect(await world.order(id, order)).toMatchObject({ shortfall: 0, taken: 0, state: 'granted' });
    expect(await outcomeOf(world.open(id))).toBe('done');
  });
});

describe('an early fraud warning', () => {
  it('refunds the payment before it is disputed, and blocks purchases', async () => {
    const { id, order } = await buyer();

    await world.script(order, 'fraud_warning');

    expect(await world.order(id, order)).toMatchObject({ state: 'refunded', failure: 'fraud_warning' });
    expect([await world.balance(id), await world.charges(id)]).toEqual([free, [0]]);
    expect(await outcomeOf(world.open(id))).toBe('INVALID_STATE');
    await world.payments.settlement.settle({ accountId: id, id: order });
    expect(await world.balance(id)).toBe(free);
  });
});

it('repeating every event changes nothing', async () => {
  const { id, order } = await buyer();
  await refund(id, order, 100);
  const before = await world.meter(id);
  for (let count = 0; count < 3; count++) await world.payments.settlement.settle({ accountId: id, id: order });
  expect(await world.meter(id)).toEqual(before);
});
