import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { tables } from '#contract/platform/resources.ts';
import { meterClosing } from '#repositories/accounts/accounts.ts';
import { dynamoClient } from '#runtime/services/dynamo-client.ts';
import { outcomeOf } from '#test/many.ts';
import { usePayingWorld } from '#test/payments/paying-world.ts';

const world = usePayingWorld();

const cancel = async (id: number) => world.plans.cancel(id, (await world.plans.current(id))!.id);
const resume = async (id: number) => world.plans.resume(id, (await world.plans.current(id))!.id);

/** Suspends or resumes an account. */
const setClosed = (id: number, closed: 'suspended' | undefined) =>
  world.plans.collectAfter(id, () =>
    dynamoClient().send(new TransactWriteCommand({ TransactItems: [meterClosing(tables.meters.name, id, closed)] })),
  );

describe("Stripe charges the meter's plan", () => {
  it('after a downgrade, its revocation, a cancellation and a resumption', async () => {
    const id = await world.subscriber('smm_pass');
    const steps = [];
    for (const act of [
      () => world.plans.downgrade(id, 'dev_pass'),
      () => world.plans.downgrade(id, 'smm_pass'),
      () => cancel(id),
      () => resume(id),
      () => cancel(id),
      () => world.plans.create(id, 'dev_pass'),
    ]) {
      await act();
      const { cents: price, ends } = await world.collected(id);
      steps.push([price, ends]);
    }
    expect(steps).toEqual([
      [2999, false],
      [9999, false],
      [9999, true],
      [9999, false],
      [9999, true],
      [2999, false],
    ]);

    await world.move({ days: 32 });
    expect(await world.plans.current(id)).toMatchObject({ planId: 'dev_pass' });
    expect([await world.charges(id), await world.granted(id, 'plan')]).toEqual([[2999, 9999], 30_000]);
  });

  it('after a larger plan continues a cancelled one', async () => {
    const id = await world.subscriber('dev_pass');
    await cancel(id);
    await world.move({ days: 3 });

    await world.plans.create(id, 'smm_pass');

    expect(await world.collected(id)).toEqual({ status: 'active', cents: 9999, ends: false });
    expect(await world.plans.current(id)).toMatchObject({ planId: 'smm_pass', status: 'active' });
  });

  it('until the end of a cancelled plan', async () => {
    const id = await world.subscriber('dev_pass');
    await cancel(id);
    await world.move({ days: 33 });
    expect(await world.charges(id)).toEqual([2999]);
    expect(await world.collected(id)).toMatchObject({ status: 'canceled' });
  });

  it('unless it is free or an operator assigned it', async () => {
    const [freed, assigned] = [await world.subscriber('dev_pass'), await world.subscriber('dev_pass')];
    await world.plans.downgrade(freed, 'freemium');
    await world.plans.assign(assigned, '5');
    expect([await world.collected(freed), await world.collected(assigned)]).toMatchObject([
      { ends: true },
      { status: 'canceled' },
    ]);

    await world.move({ days: 33 });

    expect([await world.charges(freed), await world.charges(assigned)]).toEqual([[2999], [2999]]);
    expect((await world.meter(freed)).planRank).toBe(1);
    expect((await world.meter(assigned)).planRank).toBe(5);
  });

  it.each([
    ['a cancelled', cancel],
    ['a downgraded', (id: number) => world.plans.downgrade(id, 'freemium')],
    ['an active', async () => undefined],
  ] as const)('unless an operator assigned the same plan to %s subscription', async (_state, before) => {
    const id = await world.subscriber('dev_pass');
    await before(id);

    await world.plans.assign(id, 'dev_pass');

    expect(await world.collected(id)).toMatchObject({ status: 'canceled' });
    expect(await world.granted(id, 'plan')).toBe(5000);
    await world.move({ days: 33 });
    expect(await world.plans.current(id)).toMatchObject({ planId: 'dev_pass', status: 'active' });
    expect([await world.granted(id, 'plan'), await world.charges(id)]).toEqual([10_000, [2999]]);
  });

  it('unless an operator assigned the plan of a past due account, which keeps it', async () => {
    const id = await world.subscriber('dev_pass');
    await world.useCard(id, 'pm_card_chargeCustomerFail');
    await world.move({ days: 32 });

    await world.plans.assign(id, 'dev_pass');

    const { subscription = '' } = await world.profile(id);
    expect((await world.stripe.invoices.list({ subscription, status: 'open' })).data).toHaveLength(0);
    await world.move({ days: 9 });
    expect(await world.plans.current(id)).toMatchObject({ planId: 'dev_pass', status: 'active' });
  });

  it('unless the account is suspended', async () => {
    const [resumed, suspended] = [await world.subscriber('dev_pass'), await world.subscriber('dev_pass')];
    for (const id of [resumed, suspended]) await setClosed(id, 'suspended');
    expect(await world.collected(resumed)).toMatchObject({ status: 'active', ends: true });
    await world.move({ days: 3 });
    await setClosed(resumed, undefined);
    expect(await world.collected(resumed)).toMatchObject({ status: 'active', ends: false });

    await world.move({ days: 62 });

    expect([await world.charges(resumed), await world.charges(suspended)]).toEqual([[2999, 2999, 2999], [2999]]);
    expect([(await world.meter(resumed)).planRank, (await world.meter(suspended)).planRank]).toEqual([2, 1]);
  });

  it('unless the account was suspended until the month ended, which cancels the plan', async () => {
    const id = await world.subscriber('dev_pass');
    await setClosed(id, 'suspended');
    await world.move({ days: 32 });

    await setClosed(id, undefined);
    await world.move({ hours: 5 });

    expect((await world.meter(id)).subscription?.status).toBe('cancelled');
    expect(await world.charges(id)).toEqual([2999]);
  });

  it('unless the account is suspended while its renewal is not paid', async () => {
    const id = await world.subscriber('dev_pass');
    await world.useCard(id, 'pm_card_chargeCustomerFail');
    await world.move({ days: 32 });

    await setClosed(id, 'suspended');

    const { subscription = '' } = await world.profile(id);
    expect((await world.stripe.invoices.list({ subscription, status: 'open' })).data).toHaveLength(0);
  });

  it('after a resumption without a saved card, once a card is saved', async () => {
    const id = await world.subscriber('dev_pass');
    await world.useCard(id, undefined);
    await world.stripe.subscriptions.cancel((await world.profile(id)).subscription ?? '');
    await world.drain();
    await resume(id);
    expect(await world.collected(id)).toMatchObject({ status: 'canceled' });
    await world.useCard(id, 'pm_card_visa');

    await world.move({ hours: 7 });

    expect(await world.collected(id)).toEqual({ status: 'active', cents: 2999, ends: false });
    await world.move({ days: 32 });
    expect(await world.charges(id)).toEqual([2999, 2999]);
  });

  it('after an outage of Stripe during a change', async () => {
    const id = await world.subscriber('dev_pass');
    world.stand.faults.order({ fault: 'error', count: 1000 });
    expect(await outcomeOf(cancel(id))).toBe('done');
    world.stand.faults.clear();
    expect(await world.collected(id)).toMatchObject({ ends: false });
    await world.move({ minutes: 10 });
    expect(await world.collected(id)).toMatchObject({ ends: true });
  });
});
