import { describe, expect, it } from 'vitest';
import type { Order } from '#domain/payments/order.ts';
import { large, small } from '#test/payments/paying-service.ts';
import { usePayingWorld } from '#test/payments/paying-world.ts';

const world = usePayingWorld();
/** Credits of the free plan, and of the pack that saved the card. */
const start = 100 + small.credits;

async function withRule(about: { threshold?: number; monthlyLimit?: number; card?: string } = {}) {
  const { threshold = start + 1, monthlyLimit = 100_000, card } = about;
  const id = await world.cardholder();
  if (card !== undefined) await world.useCard(id, card);
  await world.payments.topUps.set(id, { threshold, pack: large.id, monthlyLimit });
  await world.drain();
  return id;
}

const bought = async (id: number) => (await world.orders(id)).filter(({ kind }) => kind === 'top_up');
const states = async (id: number) => (await bought(id)).map(({ state }) => state);
const rule = async (id: number) => (await world.profile(id)).topUp;
const crossed = (accountId: number) => world.payments.handle({ do: 'top-up', accountId });

describe('the automatic top-up', () => {
  it('buys once when the balance is below the threshold, and again only after the next crossing', async () => {
    const id = await withRule();
    expect([await states(id), await world.balance(id)]).toEqual([['granted'], start + large.credits]);
    await crossed(id);
    expect(await states(id)).toHaveLength(1);

    await world.leave(id, 10);
    await crossed(id);

    expect([await states(id), await world.balance(id)]).toEqual([['granted', 'granted'], 10 + large.credits]);
    expect(await rule(id)).toMatchObject({ state: 'on', failures: 0 });
  });

  it('buys until the threshold is reached', async () => {
    const id = await withRule({ threshold: start + large.credits + 1 });
    expect([await states(id), await world.balance(id)]).toEqual([['granted', 'granted'], start + 2 * large.credits]);
  });

  it('buys once for many concurrent crossings', async () => {
    const id = await withRule({ threshold: 50 });
    expect(await states(id)).toEqual([]);
    await world.leave(id, 10);

    await Promise.allSettled(Array.from({ length: 20 }, () => crossed(id)));
    await world.drain();
    await world.move({ minutes: 10 });

    expect([await states(id), await world.balance(id)]).toEqual([['granted'], 10 + large.credits]);
    expect(await world.charges(id)).toEqual([small.cents, large.cents]);
  });

  it('never spends more than its limit in a month, and continues in the next', async () => {
    const id = await withRule({ threshold: 1_000_000, monthlyLimit: 2 * large.cents + 1 });
    expect(await states(id)).toEqual(['granted', 'granted']);
    expect(await rule(id)).toMatchObject({ state: 'on', lastFailure: { reason: 'monthly_limit' } });
    await crossed(id);
    expect(await states(id)).toHaveLength(2);

    const date = new Date(world.now());
    await world.moveTo(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) + 60_000);

    expect(await states(id)).toHaveLength(4);
    await world.payments.topUps.set(id, null);
  });

  it('is switched off if the bank requires authentication, and grants a payment that is authenticated later', async () => {
    const id = await withRule({ card: 'pm_card_authenticationRequired' });
    expect([await states(id), (await rule(id))?.state]).toEqual([['action_required'], 'action_required']);
    await world.move({ hours: 12 });
    await crossed(id);
    expect(await states(id)).toEqual(['action_required']);

    await world.script((await bought(id))[0]!.id, 'paid');

    expect([await states(id), await world.balance(id)]).toEqual([['granted'], start + large.credits]);
  });

  it('continues after a decline if a retry succeeds', async () => {
    const id = await withRule({ card: 'pm_card_chargeCustomerFail' });
    await world.useCard(id, 'pm_card_visa');
    await world.move({ hours: 1, minutes: 10 });
    expect((await states(id)).toSorted()).toEqual(['failed', 'granted']);
    expect(await rule(id)).toMatchObject({ state: 'on', failures: 0 });
  });

  it('is switched off if the card was removed', async () => {
    const id = await withRule({ threshold: 50 });
    await world.useCard(id, undefined);
    await world.leave(id, 10);
    await crossed(id);
    expect([await states(id), await rule(id)]).toMatchObject([
      [],
      { state: 'off', lastFailure: { reason: 'no_card' } },
    ]);
  });

  it.each(['refunded', 'disputed'] as const)('is switched off once a top-up is %s', async (outcome) => {
    const id = await withRule();

    await world.script((await bought(id))[0]!.id, outcome);
    await crossed(id);
    await world.drain();

    expect(await states(id)).toEqual([outcome]);
    expect(await rule(id)).toMatchObject({ state: 'off', lastFailure: { reason: 'returned' } });
  });

  it.each(['refunded', 'disputed'] as const)('is switched off once a pack is %s', async (outcome) => {
    const id = await world.account();
    const order = await world.buy(id, { pack: large.id });
    await world.payments.topUps.set(id, { threshold: 700, pack: large.id, monthlyLimit: 100_000 });

    await world.script(order, outcome);
    await crossed(id);
    await world.drain();

    expect(await world.charges(id)).toHaveLength(1);
    expect(await rule(id)).toMatchObject({ state: 'off', lastFailure: { reason: 'returned' } });
  });

  it('stays on after a partial refund of a top-up', async () => {
    const id = await withRule({ threshold: start + 1 });
    const [{ provider }] = (await bought(id)) as [Order];
    await world.stripe.refunds.create({ payment_intent: provider.payment ?? '', amount: 1 });
    await world.drain();
    expect([await states(id), (await rule(id))?.state]).toEqual([['granted'], 'on']);
  });

  it('cannot be set without a card, for an unknown pack, or with a limit below the price', async () => {
    const [stranger, id] = [await world.account(), await world.cardholder()];
    const set = (account: number, pack: string, monthlyLimit: number) =>
      world.payments.topUps.set(account, { threshold: 1, pack, monthlyLimit });
    await expect(set(stranger, large.id, 100_000)).rejects.toMatchObject({ code: 'PAYMENT_METHOD_REQUIRED' });
    await expect(set(id, 'tiny', 100_000)).rejects.toMatchObject({ code: 'INVALID_FORMAT' });
    await expect(set(id, large.id, large.cents - 1)).rejects.toMatchObject({ code: 'INVALID_FORMAT' });
    expect(await rule(id)).toBeUndefined();
  });

  it('buys once after an outage of Stripe', async () => {
    const id = await withRule({ threshold: 50 });
    await world.leave(id, 10);
    world.stand.faults.order({ fault: 'rate_limit', count: 1000, path: '/v1/invoices', method: 'POST' });
    await crossed(id).catch(() => undefined);
    world.stand.faults.clear();
    expect(await world.balance(id)).toBe(10);
    await world.move({ minutes: 30 });
    expect([await world.balance(id), await world.charges(id)]).toEqual([
      10 + large.credits,
      [small.cents, large.cents],
    ]);
  });
});

it('an automatic top-up is retried once a day while an earlier payment blocks purchases', async () => {
  const id = await withRule();
  await world.leave(id, 0);
  const { id: order } = (await world.orders(id)).at(-1)!;
  await world.script(order, 'disputed');
  await world.payments.topUps.set(id, { threshold: start + 1, pack: large.id, monthlyLimit: 100_000 });
  await crossed(id);
  const before = await rule(id);
  expect(before?.retryAt).toBeGreaterThan(world.now() + 23 * 3_600_000);

  await world.move({ hours: 2 });

  expect([await rule(id), await states(id)]).toEqual([before, ['granted']]);
  await world.payments.topUps.set(id, null);
});

it('an automatic top-up of a purged account is dropped', async () => {
  const id = await withRule({ threshold: 50 });
  await world.purge(id);
  await expect(crossed(id)).resolves.toBeUndefined();
});

it('an automatic top-up requests authentication of at most five payments a day', async () => {
  const id = await withRule({ threshold: 50 });
  await world.useCard(id, 'pm_card_authenticationRequired');
  await world.leave(id, 0);
  for (let count = 0; count < 7; count++) {
    await world.payments.topUps.set(id, { threshold: 50, pack: large.id, monthlyLimit: 1_000_000 });
    await world.drain();
  }

  expect(await states(id)).toEqual(Array.from({ length: 5 }, () => 'action_required'));
  await world.move({ days: 1, hours: 1 });
  await world.payments.topUps.set(id, null);
});
