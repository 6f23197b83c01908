import { afterEach, describe, expect, it } from 'vitest';
import { usePayingWorld } from '#test/payments/paying-world.ts';

const world = usePayingWorld();
const [dev, smm] = [2, 3];

/** Newest first. */
const upgrades = async (id: number) => (await world.orders(id)).filter(({ kind }) => kind === 'upgrade');

describe('a returned upgrade', () => {
  afterEach(() => {
    for (const rank of [dev, smm]) world.sell(rank, {});
  });

  it('keeps the scheduled change to a smaller plan', async () => {
    const id = await world.subscriber('dev_pass');
    await world.plans.upgrade(id, 'smm_pass');
    await world.plans.downgrade(id, 'freemium');

    await world.script((await upgrades(id))[0]!.id, 'refunded');

    expect(await world.collected(id)).toMatchObject({ ends: true });
    await world.move({ days: 33 });
    expect(await world.charges(id)).toEqual([0, 2999]);
  });

  it('returns to the terms of the plan before, even if its price has changed', async () => {
    const id = await world.subscriber('dev_pass');
    world.sell(dev, { price: 39.99 });
    await world.plans.upgrade(id, 'smm_pass');

    await world.script((await upgrades(id))[0]!.id, 'refunded');

    expect(await world.collected(id)).toMatchObject({ cents: 2999 });
  });

  it('continues on the terms that were shown once its dispute is won', async () => {
    const id = await world.subscriber('dev_pass');
    await world.plans.upgrade(id, 'smm_pass');
    world.sell(smm, { price: 149.99 });
    const order = (await upgrades(id))[0]!.id;

    await world.script(order, 'disputed');
    expect(await world.collected(id)).toMatchObject({ cents: 2999 });
    await world.script(order, 'won');

    expect(await world.collected(id)).toMatchObject({ cents: 9999 });
  });

  it.each(['in their order', 'in reverse'])('of two is undone and done again %s', async (order) => {
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

  it('leaves the plan of an upgrade that was paid again', async () => {
    const id = await world.subscriber('dev_pass');
    await world.plans.upgrade(id, 'smm_pass');
    await world.script((await upgrades(id))[0]!.id, 'refunded');
    await world.plans.upgrade(id, 'smm_pass');
    await world.plans.upgrade(id, 'pro_pass');

    await world.script((await upgrades(id))[0]!.id, 'refunded');

    expect(await world.collected(id)).toMatchObject({ cents: 9999 });
  });

  it('leaves the plan of one whose dispute was won after another was paid', async () => {
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
});
