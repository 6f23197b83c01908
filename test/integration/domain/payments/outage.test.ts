import { expect, it } from 'vitest';
import { outcomeOf } from '#test/many.ts';
import { large, small } from '#test/payments/paying-service.ts';
import { usePayingWorld } from '#test/payments/paying-world.ts';

const world = usePayingWorld();

it('an hour without Stripe refuses purchases and keeps plans, and pending payments settle afterwards', async () => {
  const [buyer, subscriber, canceller] = [
    await world.cardholder(),
    await world.subscriber(),
    await world.subscriber('smm_pass'),
  ];
  const { id: paid } = await world.open(buyer);
  world.stand.faults.order({ fault: 'events_held' });
  await world.stand.script(paid, 'paid');
  world.stand.faults.order({ fault: 'rate_limit', count: 10_000 });

  expect(await outcomeOf(world.open(buyer))).toBe('SERVICE_UNAVAILABLE');
  expect(await outcomeOf(world.payments.purchases.get(buyer, paid))).toBe('SERVICE_UNAVAILABLE');
  expect(await outcomeOf(world.plans.upgrade(subscriber, 'smm_pass'))).toBe('SERVICE_UNAVAILABLE');
  expect(await outcomeOf(world.plans.downgrade(canceller, 'dev_pass'))).toBe('done');
  expect((await world.meter(subscriber)).planRank).toBe(2);
  await world.jump(1 / 24);
  world.stand.faults.clear();
  world.stand.faults.release();
  await world.move({ minutes: 15 });

  expect(await world.order(buyer, paid)).toMatchObject({ state: 'granted' });
  expect(await world.granted(buyer, 'purchase')).toBe(2 * small.credits);
  expect(await world.collected(canceller)).toMatchObject({ cents: 2999 });
  expect(await outcomeOf(world.plans.upgrade(subscriber, 'smm_pass'))).toBe('done');
  expect(await world.differences()).toEqual([]);
}, 60_000);

it('an hour without the queue delays credits until Stripe retries its events', async () => {
  const id = await world.account();
  const { id: order } = await world.open(id);
  world.queueDown(true);
  await world.stand.script(order, 'paid');
  await world.jump(1 / 24);
  expect(await world.order(id, order)).toMatchObject({ state: 'created' });
  world.queueDown(false);

  await world.move({ hours: 1 });

  expect([await world.order(id, order), await world.granted(id, 'purchase')]).toMatchObject([
    { state: 'granted' },
    small.credits,
  ]);
  expect(await world.differences()).toEqual([]);
});

it.each(['/v1/invoiceitems', '/v1/invoices/'])(
  'a charge that fails at %s does not block later charges',
  async (path) => {
    const id = await world.cardholder();
    world.stand.faults.order({ fault: 'rate_limit', count: 3, path, method: 'POST' });
    expect(await outcomeOf(world.payments.purchases.topUp(id, large, async () => undefined))).toBe(
      'SERVICE_UNAVAILABLE',
    );
    world.stand.faults.clear();
    await world.move({ hours: 1 });

    expect(await outcomeOf(world.payments.purchases.topUp(id, large, async () => undefined))).toBe('done');

    expect(await world.charges(id)).toEqual([small.cents, large.cents]);
    expect((await world.orders(id)).map(({ state }) => state)).toEqual(['granted', 'failed', 'granted']);
  },
  60_000,
);
