import { expect, it } from 'vitest';
import { dueOf, type Order } from '#domain/payments/order.ts';

const start = Date.UTC(2027, 0, 10) / 1000;
const order: Order = {
  accountId: 1,
  id: 'ord_1',
  kind: 'pack',
  state: 'created',
  cents: 500,
  credits: 500,
  createdAt: start * 1000,
  provider: {},
  revision: 1,
};

it('an open renewal is not swept before its plan ends unpaid', () => {
  const renewal: Order = { ...order, kind: 'renewal', period: { start, end: start + 31 * 86_400 } };
  expect(dueOf(renewal)).toBe((start + 7 * 86_400 + 60) * 1000);
});

it('a payment that differs from its order is not swept, because an operator resolves it', () => {
  expect(dueOf(order)).toBeDefined();
  expect(dueOf({ ...order, failure: 'paid_differs' })).toBeUndefined();
});

it('a refund that the provider rejected is requested again after an hour', () => {
  const paid: Order = { ...order, state: 'paid', paidAt: order.createdAt, failure: 'already_subscribed' };
  expect(dueOf(paid)).toBe(order.createdAt + 60_000);
  const refundRejectedAt = order.createdAt + 90_000;
  expect(dueOf({ ...paid, refundRejectedAt })).toBe(refundRejectedAt + 3_600_000);
});
