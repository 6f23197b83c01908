import { expect, it } from 'vitest';
import { large, small, usePayingService } from '#test/payments/paying-service.ts';
import { code, type Person } from '#test/service/service.ts';

/** Stripe and the service forget idempotency keys after a day. */
const service = usePayingService();

const send = (method: string, path: string, { key }: Person, body: object, name: string) =>
  service.call(method, path, { key, body, headers: { 'idempotency-key': name } });

/** Cents of each successful charge of a person at Stripe, oldest first. */
async function charges(person: Person): Promise<number[]> {
  const { customer = 'none' } = await service.profile(person);
  const { data } = await service.stripe().charges.list({ customer, limit: 100 });
  return data.flatMap(({ paid, amount }) => (paid ? [amount] : [])).toReversed();
}

it('a checkout repeated with its key opens the same page for a day, then a new page without a second charge', async () => {
  const person = await service.person();
  const open = () => send('POST', '/api/payments/checkout', person, { pack: small.id }, 'pack-1');
  const first = (await open()).body.data;
  await service.script(first.id, 'paid');
  expect((await open()).body.data.id).toBe(first.id);
  await service.advance('PT25H');

  const later = await open();

  expect([later.status, later.body.data.status]).toEqual([201, 'created']);
  expect(later.body.data.id).not.toBe(first.id);
  expect(await charges(person)).toEqual([small.cents]);
  await service.advance('PT2H');
  expect((await service.order(person, later.body.data.id))?.state).toBe('expired');
});

it('a plan paid with the saved card is charged once, whenever its request is repeated', async () => {
  const person = await service.person();
  await service.bought(person);
  const body = { planId: 'dev_pass', billingCycle: 'monthly' };
  const create = () => send('POST', '/api/subscription/create', person, body, 'plan-1');
  const upgrade = () => send('PUT', '/api/subscription/upgrade-plan', person, { newPlanId: 'smm_pass' }, 'upgrade-1');
  expect((await create()).status).toBe(200);
  await create();
  expect((await upgrade()).status).toBe(200);
  await upgrade();
  const paid = await charges(person);
  expect(paid).toHaveLength(3);
  await service.advance('PT25H');

  const replies = [await create(), await upgrade()].map(code);

  expect(replies).toEqual(['409 ALREADY_SUBSCRIBED', '409 INVALID_STATE']);
  expect(await charges(person)).toEqual(paid);
});

it('an order that is settled again after 25 hours, by its event, page and sweep, is granted and returned once', async () => {
  const person = await service.subscriber('dev_pass');
  const second = await service.opened(person, { pack: large.id });
  const plan = (await service.payments(person)).find(({ kind }) => kind === 'plan');
  const { provider } = (await service.order(person, plan.id))!;
  await service.script(second.id, 'paid');
  await service.stripe().refunds.create({ payment_intent: provider.payment ?? '', amount: 100 });
  await service.quiet();
  const before = await service.meter(person);
  await service.advance('PT25H');

  const { provider: session } = (await service.order(person, second.id))!;
  await service.sendEvent({ object: session.session ?? '' });
  await service.sendEvent({ object: provider.invoice ?? '', type: 'invoice.paid' });
  await service.payment(person, plan.id);
  await service.quiet();

  expect((await service.meter(person)).lots).toEqual(before.lots);
  expect(await charges(person)).toEqual([2999, large.cents]);
  expect(await service.differences()).toEqual([]);
});
