import { describe, expect, it, vi } from 'vitest';
import { changeProfile } from '#domain/payments/order.ts';
import { outcomeOf } from '#test/many.ts';
import { usePayingWorld } from '#test/payments/paying-world.ts';

const world = usePayingWorld();
const plan = { planId: 'dev_pass' };

async function running(id: number): Promise<string[]> {
  const { customer = '' } = await world.profile(id);
  return (await world.stripe.subscriptions.list({ customer })).data.map((one) => one.id);
}

describe('two plans that are paid and settled concurrently', () => {
  it('leave the granted plan active if its subscription was ended by the other one before', async () => {
    const id = await world.account();
    const opened = [await world.open(id, plan), await world.open(id, { planId: 'smm_pass' })];
    for (const order of opened) await world.stand.script(order.id, 'paid');
    // Each process ends before its grant.
    for (const order of opened) {
      world.die({ write: 3, isWritten: false });
      await outcomeOf(world.payments.settlement.settle({ accountId: id, id: order.id }));
    }
    world.die(undefined);

    await world.payments.settlement.settle({ accountId: id, id: opened[0]!.id });
    await world.drain();
    await world.sweep();

    expect((await world.orders(id)).map(({ state }) => state).toSorted()).toEqual(['granted', 'refunded']);
    expect(await world.plans.current(id)).toMatchObject({ planId: 'dev_pass', status: 'active' });
    expect(await world.collected(id)).toEqual({ status: 'active', cents: 2999, ends: false });
  });

  it('leave one active plan and one subscription, and the other payment is refunded', async () => {
    for (let count = 0; count < 2; count++) {
      const id = await world.account();
      const opened = [await world.open(id, plan), await world.open(id, { planId: 'smm_pass' })];
      world.stand.faults.order({ fault: 'events_held' });
      for (const order of opened) await world.stand.script(order.id, 'paid');
      // The later one ends the subscription of the earlier one, which is granted meanwhile.
      world.stand.faults.order({ fault: 'delay', delayMs: 300, method: 'DELETE', path: '/v1/subscriptions/' });
      await Promise.all(
        opened.map((order) => outcomeOf(world.payments.settlement.settle({ accountId: id, id: order.id }))),
      );
      world.stand.faults.release();
      world.stand.faults.clear();
      await world.drain();
      await world.move({ minutes: 10 });

      const states = (await world.orders(id)).map(({ state }) => state);
      expect(states.toSorted()).toEqual(['granted', 'refunded']);
      expect(await world.plans.current(id)).toMatchObject({ status: 'active' });
      expect(await running(id)).toEqual([(await world.profile(id)).subscription]);
    }
  });
});

it('a change whose process ends reaches Stripe even if a concurrent alignment read the meter before it', async () => {
  const id = await world.subscriber('smm_pass');
  const { metering } = world;
  const { planPayments, collection } = world.payments;
  const [meterRead, written] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let aligning: Promise<void> | undefined;
  vi.spyOn(planPayments, 'beforeChange').mockImplementationOnce(async (accountId) => {
    await collection.mark(accountId);
    vi.spyOn(metering, 'current').mockImplementationOnce(async () => {
      const before = await metering.find(accountId);
      meterRead.resolve();
      await written.promise;
      return before!;
    });
    aligning = collection.align(accountId);
    await meterRead.promise;
  });
  vi.spyOn(planPayments, 'afterChange').mockRejectedValueOnce(new Error('the process has ended'));
  expect(await outcomeOf(world.plans.downgrade(id, 'dev_pass'))).toContain('the process has ended');
  written.resolve();
  await aligning;
  vi.restoreAllMocks();

  await world.move({ minutes: 6 });

  expect(await world.collected(id)).toMatchObject({ cents: 2999 });
});

describe('an upgrade to the current terms of the same plan', () => {
  /** A subscriber who keeps older, cheaper terms. */
  async function keeper(): Promise<number> {
    const id = await world.subscriber('dev_pass');
    await world.metering.change(id, world.now(), (meter) => {
      const terms = { ...meter.terms!, price: 9.99, creditsPerMonth: 1000 };
      return { meter: { ...meter, terms, seq: meter.seq + 1 }, entries: [] };
    });
    return id;
  }

  it('is charged and granted once if it is requested eight times concurrently', async () => {
    const id = await keeper();
    const before = await world.balance(id);

    const outcomes = await Promise.all(Array.from({ length: 8 }, () => outcomeOf(world.plans.upgrade(id, 'dev_pass'))));
    await world.drain();

    expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(1);
    expect([await world.charges(id), (await world.balance(id)) - before]).toEqual([[2000, 2999], 4000]);
  });

  it('is granted once if it is authenticated twice, and the second payment is refunded', async () => {
    const id = await keeper();
    await world.useCard(id, 'pm_card_authenticationRequired');
    for (let count = 0; count < 2; count++)
      expect(await outcomeOf(world.plans.upgrade(id, 'dev_pass'))).toBe('PAYMENT_ACTION_REQUIRED');
    const open = (await world.orders(id)).filter(({ kind }) => kind === 'upgrade');

    for (const order of open) await world.script(order.id, 'paid');

    expect((await world.orders(id)).map(({ kind, state }) => [kind, state])).toEqual([
      ['upgrade', open[0]?.state === 'action_required' ? 'granted' : 'refunded'],
      ['upgrade', 'refunded'],
      ['plan', 'granted'],
    ]);
    expect(await world.charges(id)).toEqual([0, 2000, 2999]);
  });
});

it('a subscription that an alignment created is stored even if the profile changes concurrently', async () => {
  const id = await world.cardholder();
  await world.plans.create(id, 'freemium');
  world.stand.faults.order({ fault: 'delay', delayMs: 300, method: 'POST', path: '/v1/subscriptions' });

  const upgrading = world.plans.upgrade(id, 'dev_pass');
  for (let count = 0; count < 20; count++) {
    await changeProfile(world.payments.store, id, () => ({ declines: [count] }));
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  await upgrading;

  const started = await running(id);
  expect(started).toHaveLength(1);
  expect((await world.profile(id)).subscription).toBe(started[0]);
});
