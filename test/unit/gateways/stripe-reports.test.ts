import { expect, it } from 'vitest';
import type { Order } from '#domain/payments/order.ts';
import { paymentReports } from '#gateways/stripe/reports.ts';

const order = { id: 'ord_1', kind: 'plan', provider: { session: 'cs_1' } } as Order;
const payment = { amount_captured: 2999, amount_refunded: 0, disputed: true, receipt_url: null };

/** The report of a plan bought in Checkout. */
async function reported({ session = {}, invoice = {}, disputes = [] as object[] }) {
  const retrieve = (found: object) => ({ retrieve: async () => found });
  const page = {
    id: 'cs_1',
    mode: 'subscription',
    status: 'complete',
    payment_status: 'paid',
    subscription: 'sub_1',
    invoice: 'in_1',
    line_items: { data: [{ quantity: 1, price: { unit_amount: 2999 } }] },
    payment_intent: null,
    ...session,
  };
  const paid = { status: 'paid', payment: { payment_intent: 'pi_1' } };
  const bill = {
    id: 'in_1',
    status: 'paid',
    total: 2999,
    payments: { data: [paid] },
    lines: { data: [] },
    status_transitions: {},
    ...invoice,
  };
  const stripe = {
    checkout: { sessions: retrieve(page) },
    invoices: retrieve(bill),
    paymentIntents: retrieve({ latest_charge: payment }),
    disputes: { list: async () => ({ data: disputes.map((one) => ({ balance_transactions: [], ...one })) }) },
  };
  const client = { call: async (work: (stripe: unknown) => unknown) => work(stripe) };
  return paymentReports(client as never).report(order, 'cus_1');
}

it.each([
  ['needs_response', 2999],
  ['under_review', 2999],
  ['lost', 2999],
  ['appeal_needs_response', 2999],
  ['appeal_under_review', 2999],
  ['a_status_of_the_future', 2999],
  ['won', 0],
  ['prevented', 0],
  ['warning_needs_response', 0],
  ['warning_under_review', 0],
  ['warning_closed', 0],
])('a dispute that is %s has withdrawn %i cents', async (status, disputedCents) => {
  expect(await reported({ disputes: [{ status, amount: 2999 }] })).toMatchObject({ disputedCents });
});

it('a prevented dispute has withdrawn its amount if the balance of the Stripe account was lowered', async () => {
  const dispute = { status: 'prevented', amount: 2999, balance_transactions: [{ amount: -2999 }] };
  expect(await reported({ disputes: [dispute] })).toMatchObject({ disputedCents: 2999 });
});

it.each([
  ['complete', 'paid', 'paid', 'paid'],
  ['complete', 'no_payment_required', 'paid', 'paid'],
  ['complete', 'no_payment_required', 'open', 'open'],
  ['complete', 'no_payment_required', 'a_status_of_the_future', 'open'],
  ['complete', 'unpaid', 'open', 'open'],
  ['complete', 'a_status_of_the_future', 'open', 'open'],
  ['a_status_of_the_future', 'paid', 'paid', 'open'],
  ['open', 'unpaid', 'draft', 'open'],
  ['expired', 'unpaid', 'void', 'expired'],
])('a checkout that is %s and %s, with an invoice that is %s, is %s', async (status, paid, invoiced, state) => {
  const session = { status, payment_status: paid };
  expect(await reported({ session, invoice: { status: invoiced } })).toMatchObject({ state });
});

it.each([
  ['processing', 'open'],
  ['requires_action', 'open'],
  ['a_status_of_the_future', 'open'],
  ['requires_payment_method', 'failed'],
  ['canceled', 'failed'],
])('an unpaid checkout whose payment is %s is %s', async (status, state) => {
  const session = { payment_status: 'unpaid', payment_intent: { id: 'pi_1', status } };
  expect(await reported({ session, invoice: { status: 'open' } })).toMatchObject({ state });
});
