import { describe, expect, it } from 'vitest';
import type { Order } from '#domain/payments/order.ts';
import { outcomeOf } from '#test/many.ts';
import { usePayingWorld } from '#test/payments/paying-world.ts';

const world = usePayingWorld();
const [dev, smm] = [2, 3];

const cancel = async (id: number) => world.plans.cancel(id, (await world.plans.current(id))!.id);
const resume = async (id: number) => world.plans.resume(id, (await world.plans.current(id))!.id);

/** A subscriber whose upgrade continues a cancelled plan, and the id of that upgrade. */
async function resumedByUpgrade(): Promise<{ id: number; order: string }> {
  const id = await world.subscriber('dev_pass');
  await cancel(id);
  await world.plans.create(id, 'smm_pass');
  return { id, order: (await upgrades(id))[0]!.id };
}

/** Newest first. */
const upgrades = async (id: number) => (await world.orders(id)).filter(({ kind }) => kind === 'upgrade');

describe('a returned upgrade', () => {
  it('keeps the scheduled change to a smaller plan', async () => {
    const id = await world.subscriber('dev_pass');
    await world.plans.upgrade(id, 'smm_pass');
    await world.plans.downgrade(id, 'freemium');

    await world.script((await upgrades(id))[0]!.id, 'refunded');

    expect(await world.collected(id)).toMatchObject({ ends: true });
    await world.move({ days: 33 });
    expect(await world.charges(id)).toEqual([0, 2999]);
  });

  it('restores the terms of the previous plan, even if its price has changed', async () => {
    const id = await world.subscriber('dev_pass');
    world.sell(dev, { price: 39.99 });
    await world.plans.upgrade(id, 'smm_pass');

    await world.script((await upgrades(id))[0]!.id, 'refunded');

    expect(await world.collected(id)).toMatchObject({ cents: 2999 });
  });

  it('is applied again on the terms of its purchase once its dispute is won', async () => {
    const id = await world.subscriber('dev_pass');
    await world.plans.upgrade(id, 'smm_pass');
    world.sell(smm, { price: 149.99 });
    const order = (await upgrades(id))[0]!.id;

    await world.script(order, 'disputed');
    expect(await world.collected(id)).toMatchObject({ cents: 2999 });
    await world.script(order, 'won');

    expect(await world.collected(id)).toMatchObject({ cents: 9999 });
  });

  it.each(['in their order', 'in reverse'])('of two is undone and redone (returned %s)', async (order) => {
    const id = await world.subscriber('dev_pass');
    await world.plans.upgrade(id, 'smm_pass');
    await world.plans.upgrade(id, 'pro_pass');
    const newest = await upgrades(id);
    const ids = (order === 'in reverse' ? newest : newest.toReversed()).map((one) => one.id);

    for (const one of ids) await world.script(one, 'disputed');
    expect(await world.collected(id)).toMatchObject({ cents: 2999 });
    for (const one of ids) await world.script(one, 'won');

    expect(await world.collected(id)).toMatchObject({ cents: 29_999 });
  });

  it('keeps the plan of an upgrade that was paid again', async () => {
    const id = await world.subscriber('dev_pass');
    await world.plans.upgrade(id, 'smm_pass');
    await world.script((await upgrades(id))[0]!.id, 'refunded');
    await world.plans.upgrade(id, 'smm_pass');
    await world.plans.upgrade(id, 'pro_pass');

    await world.script((await upgrades(id))[0]!.id, 'refunded');

    expect(await world.collected(id)).toMatchObject({ cents: 9999 });
  });

  it('keeps the plan of an upgrade that was paid later but granted earlier', async () => {
    const id = await world.subscriber('dev_pass');
    await world.plans.upgrade(id, 'smm_pass');
    await world.useCard(id, 'pm_card_authenticationRequired');
    await outcomeOf(world.plans.upgrade(id, 'pro_pass'));
    const [pro, first] = (await upgrades(id)) as [Order, Order];
    await world.script(first.id, 'refunded');
    await world.useCard(id, 'pm_card_visa');
    world.stand.faults.order({ fault: 'events_held' });
    await world.stand.script(pro.id, 'paid');
    await world.jump(5 / 86_400);
    await world.plans.upgrade(id, 'smm_pass');
    world.stand.faults.release();
    await world.drain();
    expect(await world.collected(id)).toMatchObject({ cents: 29_999 });

    await world.script(pro.id, 'refunded');

    expect(await world.collected(id)).toMatchObject({ cents: 9999 });
  });

  it('keeps the plan of an upgrade whose dispute was won after another was paid', async () => {
    const id = await world.subscriber('dev_pass');
    await world.plans.upgrade(id, 'smm_pass');
    const first = (await upgrades(id))[0]!.id;
    await world.script(first, 'disputed');
    await world.plans.upgrade(id, 'smm_pass');
    await world.script(first, 'won');

    await world.script((await upgrades(id))[0]!.id, 'refunded');

    expect(await world.collected(id)).toMatchObject({ cents: 9999 });
  });

  it('to new terms of the same plan is undone too', async () => {
    const id = await world.subscriber('dev_pass');
    world.sell(dev, { price: 39.99 });
    await world.plans.upgrade(id, 'dev_pass');
    await world.plans.upgrade(id, 'smm_pass');

    for (const one of (await upgrades(id)).toReversed()) await world.script(one.id, 'refunded');

    expect(await world.collected(id)).toMatchObject({ cents: 2999 });
  });

  it('that continued a cancelled plan cancels it again', async () => {
    const { id, order } = await resumedByUpgrade();

    await world.script(order, 'refunded');

    expect(await world.collected(id)).toEqual({ status: 'active', cents: 2999, ends: true });
    const { subscription } = await world.meter(id);
    expect(subscription).toMatchObject({ planId: 'dev_pass', status: 'cancelled', endsAt: subscription?.paidUntil });
    await world.move({ days: 33 });
    expect(await world.charges(id)).toEqual([0, 2999]);
    expect((await world.meter(id)).planRank).toBe(1);
  });

  it('that continued a cancelled plan continues it again with its credits once the dispute is won', async () => {
    const { id, order } = await resumedByUpgrade();
    const { lots } = await world.meter(id);

    await world.script(order, 'disputed');
    expect(await world.granted(id, 'plan')).toBe(5000);
    await world.script(order, 'won');

    expect(await world.collected(id)).toEqual({ status: 'active', cents: 9999, ends: false });
    expect((await world.meter(id)).lots).toEqual(lots);
    expect(await world.balance(id)).toBe(25_100);
  });

  it('that continued a cancelled plan returns its credits if the dispute is won after the plan ended', async () => {
    const { id, order } = await resumedByUpgrade();
    await world.script(order, 'disputed');
    await world.move({ days: 70 });
    const before = await world.balance(id);

    await world.script(order, 'won');

    expect((await world.balance(id)) - before).toBe((await world.order(id, order))?.credits);
  });

  it('keeps a cancellation by the owner after a won dispute', async () => {
    const { id, order } = await resumedByUpgrade();
    await world.script(order, 'disputed');
    await resume(id);
    await cancel(id);

    await world.script(order, 'won');

    expect(await world.collected(id)).toEqual({ status: 'active', cents: 9999, ends: true });
    expect(await world.balance(id)).toBe(25_100);
  });

  it('does not cancel a plan that its owner resumed before the upgrade was paid', async () => {
    const id = await world.subscriber('dev_pass');
    await cancel(id);
    await world.useCard(id, 'pm_card_authenticationRequired');
    expect(await outcomeOf(world.plans.create(id, 'smm_pass'))).toBe('PAYMENT_ACTION_REQUIRED');
    const order = (await upgrades(id))[0]!.id;
    await resume(id);
    await world.script(order, 'paid');

    await world.script(order, 'refunded');

    expect(await world.collected(id)).toMatchObject({ cents: 2999, ends: false });
  });

  it('does not cancel a plan that its owner resumed after an earlier upgrade was returned', async () => {
    const { id, order } = await resumedByUpgrade();
    await world.script(order, 'refunded');
    await resume(id);
    await world.plans.upgrade(id, 'smm_pass');

    await world.script((await upgrades(id))[0]!.id, 'refunded');

    expect(await world.collected(id)).toMatchObject({ cents: 2999, ends: false });
  });

  it('does not cancel a plan that an operator continued before the upgrade', async () => {
    const id = await world.subscriber('smm_pass');
    await cancel(id);
    await world.plans.assign(id, 'smm_pass');
    await world.plans.upgrade(id, 'pro_pass');

    await world.script((await upgrades(id))[0]!.id, 'refunded');

    expect(await world.plans.current(id)).toMatchObject({ planId: 'smm_pass', status: 'active' });
  });

  it('does not cancel a plan that an upgrade with a won dispute had continued', async () => {
    const { id, order } = await resumedByUpgrade();
    await world.script(order, 'disputed');
    await world.plans.create(id, 'pro_pass');
    await world.script(order, 'won');

    await world.script((await upgrades(id))[0]!.id, 'refunded');

    expect(await world.collected(id)).toMatchObject({ cents: 9999, ends: false });
  });

  it('keeps a later cancellation by the owner after another upgrade continued the plan', async () => {
    const { id, order } = await resumedByUpgrade();
    await world.script(order, 'disputed');
    await resume(id);
    await cancel(id);
    await world.plans.create(id, 'pro_pass');
    await world.script((await upgrades(id))[0]!.id, 'disputed');

    await world.script(order, 'won');

    expect(await world.collected(id)).toMatchObject({ cents: 9999, ends: true });
  });

  it.each(['in their order', 'in reverse'])(
    'of two cancels the plan that the first one continued (returned %s)',
    async (order) => {
      const { id } = await resumedByUpgrade();
      await world.plans.upgrade(id, 'pro_pass');
      const newest = await upgrades(id);
      const ids = (order === 'in reverse' ? newest : newest.toReversed()).map((one) => one.id);

      await world.script(ids[0]!, 'disputed');
      expect(await world.collected(id)).toMatchObject({ cents: order === 'in reverse' ? 9999 : 29_999, ends: false });
      await world.script(ids[1]!, 'disputed');
      expect(await world.collected(id)).toMatchObject({ cents: 2999, ends: true });
      await world.script(ids[0]!, 'won');

      expect(await world.collected(id)).toMatchObject({ ends: false });
      await world.script(ids[1]!, 'won');
      expect(await world.collected(id)).toMatchObject({ cents: 29_999, ends: false });
    },
  );

  it('cancels a plan whose month was disputed too, and continues it once both disputes are won', async () => {
    const { id, order } = await resumedByUpgrade();
    const month = (await world.orders(id)).find(({ kind }) => kind === 'plan')!.id;
    for (const one of [month, order]) await world.script(one, 'disputed');
    expect((await world.plans.current(id))?.status).toBe('cancelled');
    for (const one of [month, order]) await world.script(one, 'won');

    expect(await world.collected(id)).toEqual({ status: 'active', cents: 9999, ends: false });
    expect((await world.meter(id)).subscription?.unpaidSince).toBeUndefined();
    expect(await world.balance(id)).toBe(25_100);
  });

  it('that replaced a scheduled smaller plan schedules it again', async () => {
    const id = await world.subscriber('smm_pass');
    await world.plans.downgrade(id, 'dev_pass');
    await world.plans.upgrade(id, 'pro_pass');
    expect(await world.collected(id)).toMatchObject({ cents: 29_999 });

    await world.script((await upgrades(id))[0]!.id, 'refunded');

    expect(await world.collected(id)).toMatchObject({ cents: 2999, ends: false });
  });

  it('of a plan that was not paid before is not charged later', async () => {
    const id = await world.cardholder();
    await world.plans.assign(id, 'dev_pass');
    await world.plans.upgrade(id, 'smm_pass');

    await world.script((await upgrades(id))[0]!.id, 'refunded');
    await world.move({ days: 33 });

    expect((await world.charges(id)).reduce((sum, one) => sum + one, 0)).toBe(500);
    expect((await world.meter(id)).planRank).toBe(dev);
  });

  it('restores a plan that an operator assigned between two upgrades, without a charge', async () => {
    const id = await world.subscriber('dev_pass');
    await world.plans.upgrade(id, 'smm_pass');
    await world.plans.assign(id, 'smm_pass');
    await world.plans.upgrade(id, 'pro_pass');

    for (const one of (await upgrades(id)).toReversed()) await world.script(one.id, 'refunded');
    await world.move({ days: 33 });

    expect(await world.charges(id)).toHaveLength(3);
    expect(await world.plans.current(id)).toMatchObject({ planId: 'smm_pass', status: 'active' });
  });

  it('is refunded without a grant if the terms of the plan changed before it was paid', async () => {
    const id = await world.subscriber('dev_pass');
    await world.useCard(id, 'pm_card_authenticationRequired');
    await outcomeOf(world.plans.upgrade(id, 'smm_pass'));
    const { id: waiting } = (await upgrades(id))[0]!;
    await world.useCard(id, 'pm_card_visa');
    world.sell(dev, { price: 39.99 });
    await world.plans.upgrade(id, 'dev_pass');

    await world.script(waiting, 'paid');

    expect(await world.order(id, waiting)).toMatchObject({ state: 'refunded', failure: 'plan_changed' });
    expect(await world.collected(id)).toMatchObject({ cents: 3999 });
  });

  it.each(['before', 'after'])('changes and charges no plan that an operator assigned %s its dispute', async (when) => {
    const id = await world.subscriber('dev_pass');
    await world.plans.upgrade(id, 'smm_pass');
    const [order] = await upgrades(id);
    if (when === 'before') await world.plans.assign(id, 'smm_pass');

    await world.script(order!.id, 'disputed');
    if (when === 'after') await world.plans.assign(id, 'dev_pass');
    await world.script(order!.id, 'won');
    await world.move({ days: 33 });

    expect(await world.charges(id)).toHaveLength(2);
    expect((await world.plans.current(id))?.planId).toBe(when === 'before' ? 'smm_pass' : 'dev_pass');
  });
});
