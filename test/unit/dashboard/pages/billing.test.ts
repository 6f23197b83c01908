import { describe, expect, it } from 'vitest';
import { planListing } from '#contract/billing/plans.ts';
import {
  cardExpiry,
  cardTitle,
  centsOf,
  dollarsOf,
  isExpired,
  isPaymentId,
  lastDayOf,
  linkIn,
  nextReadMs,
  type PaymentRecord,
  paymentIn,
  paymentTitle,
  returnText,
  statusLabel,
  topUpFailure,
} from '../../../../dashboard/src/lib/payment-text.ts';
import {
  chargedPrice,
  dayInAMonth,
  endOf,
  nextPayment,
  pastDueText,
  type Plan,
  recommendedPlan,
  type Subscription,
  unpaidRenewal,
} from '../../../../dashboard/src/pages/plans/plan.ts';

const payment = (parts: Partial<PaymentRecord> = {}): PaymentRecord => ({
  id: 'ord_1',
  kind: 'pack',
  status: 'granted',
  credits: 1000,
  amount: 1050,
  currency: 'usd',
  receiptUrl: null,
  invoiceUrl: null,
  createdAt: '2026-11-27T09:00:00.000Z',
  paidAt: null,
  refundedAmount: 0,
  ...parts,
});

describe('the title of a payment', () => {
  it.each([
    [{ kind: 'pack' }, '1,000 credits'],
    [{ kind: 'top_up' }, '1,000 credits, automatic top-up'],
    [{ kind: 'plan', planId: 'dev_pass' }, 'Dev Pass'],
    [{ kind: 'upgrade', planId: 'pro_pass' }, 'Upgrade to Pro Pass'],
    [{ kind: 'renewal', planId: 'dev_pass' }, 'Dev Pass, renewal'],
  ] as const)('of %o is %s', (parts, title) => {
    expect(paymentTitle(payment(parts))).toBe(title);
  });
});

describe('the status of a payment', () => {
  it.each([
    [{ status: 'granted' }, 'Paid'],
    [{ status: 'refunded', refundedAmount: 1050 }, 'Refunded'],
    [{ status: 'granted', refundedAmount: 1049 }, 'Partly refunded'],
    [{ status: 'action_required' }, 'Confirmation needed'],
  ] as const)('of %o is %s', (parts, title) => {
    expect(statusLabel(payment(parts)).title).toBe(title);
  });
});

describe('the payment of a buyer who returns from the payment page', () => {
  it('is polled every second, then every three, for a minute in total', () => {
    let [reads, waited] = [0, 0];
    for (let ms = nextReadMs('created', reads); ms !== false; ms = nextReadMs('created', reads)) {
      reads += 1;
      waited += ms;
    }
    expect([reads, waited]).toEqual([30, 60_000]);
  });

  it.each(['granted', 'failed', 'expired', 'refunded', 'disputed'] as const)(
    'is not polled again once %s',
    (status) => {
      expect(nextReadMs(status, 0)).toBe(false);
    },
  );

  const still = { isCancelled: false, isWaiting: false };
  const waiting = { isCancelled: false, isWaiting: true };
  it.each([
    [{ status: 'created' }, waiting, 'info', 'Waiting for the payment of $10.50 for 1,000 credits…'],
    [{ status: 'created' }, still, 'warning', 'The payment of $10.50 has not arrived yet.'],
    [{ status: 'created' }, { ...still, isCancelled: true }, 'warning', 'You left the payment page.'],
    [{ status: 'paid' }, waiting, 'info', 'The payment of $10.50 has arrived. Your credits will be added shortly.'],
    [{ status: 'granted' }, still, 'info', 'Paid $10.50: 1,000 credits were added.'],
    [{ status: 'granted', kind: 'plan', planId: 'dev_pass' }, still, 'info', 'Paid $10.50: Dev Pass.'],
    [{ status: 'failed' }, still, 'error', 'The payment of $10.50 for 1,000 credits failed. Nothing was charged.'],
    [{ status: 'expired' }, still, 'warning', 'The payment page for 1,000 credits expired before it was paid.'],
    [{ status: 'action_required' }, waiting, 'warning', 'Your bank requires you to confirm the payment of $10.50'],
    [{ status: 'refunded', refundedAmount: 50 }, still, 'info', '$0.50 of $10.50 for 1,000 credits was refunded.'],
    [{ status: 'refunded', refundedAmount: 1050 }, still, 'info', '$10.50 for 1,000 credits was refunded.'],
    [
      { status: 'disputed', refundedAmount: 1050 },
      still,
      'warning',
      'The payment of $10.50 for 1,000 credits is disputed',
    ],
  ] as const)('of %o with %o is described', (parts, view, tone, text) => {
    const described = returnText(payment(parts), view);
    expect(described.tone).toBe(tone);
    expect(described.text.slice(0, text.length)).toBe(text);
  });
});

describe('the validity of a pack', () => {
  it.each([
    ['2026-11-27T00:00:00Z', 12, '2027-11-30'],
    ['2026-01-31T23:59:59Z', 1, '2026-02-28'],
    ['2026-12-31T12:00:00Z', 14, '2028-02-29'],
  ])('of %s and %i months ends on %s', (bought, months, day) => {
    expect(lastDayOf(months, Date.parse(bought))).toBe(day);
  });
});

describe('the price of a subscription', () => {
  const subscribed = (planId: string, price: number, paidUntil?: string) =>
    ({ planId, price, ...(paidUntil && { paidUntil }) }) as NonNullable<Subscription>;

  it.each([
    [subscribed('1', 0), 'Free'],
    [subscribed('2', 29.99, '2026-12-31'), '$29.99 per month'],
    [subscribed('2', 29.99), 'Not charged'],
    [subscribed('5', 0), 'Custom'],
    [null, 'Free'],
  ])('%o is shown as %s', (subscription, text) => {
    expect(chargedPrice(subscription)).toBe(text);
  });
});

describe('the saved card', () => {
  it('is named by its brand and last digits', () => {
    expect(cardTitle({ brand: 'visa', last4: '4242' })).toBe('Visa ending in 4242');
    expect(cardTitle({ brand: 'amex', last4: '0005' })).toBe('American Express ending in 0005');
    expect(cardExpiry({ expMonth: 4, expYear: 2031 })).toBe('04/2031');
  });

  it('expires at the end of its month', () => {
    const card = { expMonth: 12, expYear: 2026 };
    expect(isExpired(card, Date.parse('2026-12-31T23:59:59Z'))).toBe(false);
    expect(isExpired(card, Date.parse('2027-01-01T00:00:00Z'))).toBe(true);
  });
});

describe('an amount in USD', () => {
  it.each([
    ['50', 5000],
    [' $49.99 ', 4999],
    ['0.5', 50],
    ['1000000', undefined],
    ['1,000', undefined],
    ['-5', undefined],
    ['5.001', undefined],
    ['', undefined],
  ])('%j is %s cents', (text, cents) => {
    expect(centsOf(text)).toBe(cents);
  });

  it.each([5000, 4999, 50, 100])('of %i cents is shown as text that is read as the same amount', (cents) => {
    expect(centsOf(dollarsOf(cents))).toBe(cents);
  });

  it.each([
    ['49,99', 4999],
    ['49.99', 4999],
    ['1,000', undefined],
    ['1.000,50', undefined],
  ])('%j is %s cents in a language that writes a comma', (text, cents) => {
    expect(centsOf(text, ',')).toBe(cents);
    expect(centsOf(dollarsOf(4999, ','), ',')).toBe(4999);
  });
});

describe('the last failure of an automatic top-up', () => {
  const lastFailure = (reason: 'declined' | 'monthly_limit' | 'action_required' | 'returned') => ({
    reason,
    at: '2026-11-27',
  });
  it.each([
    ['on', lastFailure('declined'), 'because the card was declined. It will be tried again.'],
    ['on', lastFailure('monthly_limit'), 'it would exceed the monthly limit. It continues next month (UTC).'],
    ['off', lastFailure('declined'), 'because the card was declined. The automatic top-up is off.'],
    ['off', lastFailure('returned'), 'because a payment was refunded or disputed on 27 Nov 2026.'],
    ['action_required', lastFailure('action_required'), 'Confirm the payment, then save the top-up'],
  ] as const)('is described in the state %s, after %o', (state, failure, text) => {
    expect(topUpFailure({ state, lastFailure: failure }, '27 Nov 2026')).toContain(text);
  });

  it('is not described if there is none', () => {
    expect(topUpFailure({ state: 'on', lastFailure: null }, '')).toBe(undefined);
  });
});

describe('the link in an error', () => {
  it.each([
    [
      'The payment requires confirmation by your bank: https://pay.example.com/i?a=1&b=2.',
      'https://pay.example.com/i?a=1&b=2',
    ],
    ['Confirm at https://pay.example.com/invoice', 'https://pay.example.com/invoice'],
    ['No link.', undefined],
  ])('of %j is %s', (detail, link) => {
    expect(linkIn(detail)).toBe(link);
  });
});

it.each([
  ['ord_aaaaaaaaaaaaaaaaaaaa', true],
  ['', false],
  ['ord_1', false],
  ['<b>', false],
  ['ord_aaaaaaaaaaaaaaaaaaaa ', false],
])('%j is the id of a payment: %s', (text, expected) => {
  expect(isPaymentId(text)).toBe(expected);
});

it.each([
  [undefined, 'smm_pass'],
  [1, 'smm_pass'],
  [2, 'smm_pass'],
  [3, 'pro_pass'],
  [4, undefined],
  [5, undefined],
])('an account on the plan %s is recommended the next larger plan with webhooks: %s', (id, larger) => {
  const listed = planListing.filter((plan) => plan.id > 0);
  expect(
    recommendedPlan(
      listed,
      listed.find((plan) => plan.id === id),
    )?.name,
  ).toBe(larger);
});

it('the id of a payment is read from an error', () => {
  const id = 'ord_0123456789abcdefABCD';
  expect(paymentIn(`Confirm payment ${id} at https://pay.example.com/i.`)).toBe(id);
  expect(paymentIn('Confirm it.')).toBe(undefined);
});

const plans: Plan[] = [
  { id: 1, name: 'freemium', price: 0, quota_limit: 100, rate_limit: 10 },
  { id: 2, name: 'dev_pass', price: 29.99, quota_limit: 5000, rate_limit: 100 },
  { id: 4, name: 'pro_pass', price: 299.99, quota_limit: 100_000, rate_limit: 2000 },
];
const subscribed = (parts: Partial<NonNullable<Subscription>> = {}): NonNullable<Subscription> => ({
  id: 'sub_1',
  planId: 'pro_pass',
  status: 'active',
  monthlyCredits: 100_000,
  creditsUsed: 0,
  nextBillingDate: '2026-12-27',
  paidUntil: '2026-12-27T09:00:00.000Z',
  price: 299.99,
  ...parts,
});

const { paidUntil: _paid, ...unpaid } = subscribed();

describe('the next payment', () => {
  it.each<[string, Subscription, ReturnType<typeof nextPayment>]>([
    ['an active plan', subscribed(), { day: '2026-12-27', usd: 299.99 }],
    ['a kept price', subscribed({ price: 199 }), { day: '2026-12-27', usd: 199 }],
    ['a scheduled downgrade', subscribed({ pendingPlanId: '2' }), { day: '2026-12-27', usd: 29.99 }],
    ['a downgrade to a plan without a price', subscribed({ pendingPlanId: 'freemium' }), undefined],
    [
      'a plan that is replaced at the renewal',
      subscribed({ replacement: { planId: 'dev_pass', from: '2026-12-27T09:00:00.000Z' } }),
      { day: '2026-12-27', usd: 29.99 },
    ],
    [
      'a plan that is replaced a month later',
      subscribed({ replacement: { planId: 'dev_pass', from: '2027-01-27T09:00:00.000Z' } }),
      { day: '2026-12-27', usd: 299.99 },
    ],
    ['a cancelled plan', subscribed({ status: 'cancelled' }), undefined],
    ['a plan that an operator assigned free of charge', unpaid, undefined],
    ['no subscription', null, undefined],
  ])('of %s has its day and amount', (_, subscription, expected) => {
    expect(nextPayment(subscription, plans)).toEqual(expected);
  });

  it.each([
    ['2026-11-27T10:00:00Z', '2026-12-27'],
    ['2027-01-31T23:00:00Z', '2027-02-28'],
    ['2026-12-31T00:00:00Z', '2027-01-31'],
  ])('of a plan that is bought at %s is on %s', (now, day) => {
    expect(dayInAMonth(Date.parse(now))).toBe(day);
  });
});

const pastDue = (reason: 'payment_due' | 'payment_returned') => {
  return { since: '2026-12-27T09:00:00.000Z', endsAt: '2027-01-03T09:00:00.000Z', reason };
};

describe('a month that is past due', () => {
  const kept = 'You keep its limits until 3 Jan 2027, without new credits.';
  it.each([
    ['payment_due', undefined, 'failed', 'If it is not paid by then, the plan ends.'],
    ['payment_returned', 'refunded', 'was refunded', 'Then the plan ends.'],
    ['payment_returned', 'disputed', 'was disputed', 'Unless the dispute is resolved by then, the plan ends.'],
    ['payment_returned', undefined, 'was refunded or disputed', 'Then the plan ends.'],
  ] as const)('because of %s (%s) is described with its end', (reason, status, happened, end) => {
    const text = pastDueText(subscribed({ pastDue: pastDue(reason) }), status);
    expect(text).toBe(`The payment for the Pro Pass ${happened} on 27 Dec 2026. ${kept} ${end}`);
  });

  it('is not described while the plan is paid', () => {
    expect(pastDueText(subscribed())).toBe(undefined);
  });
});

describe('the renewal of a plan', () => {
  it('is shown until it is paid', () => {
    const since = '2026-12-27T09:00:00.000Z';
    expect(unpaidRenewal(subscribed({ renewalPendingSince: since }))).toEqual({ usd: 299.99, since, isPastDue: false });
    expect(unpaidRenewal(subscribed({ pastDue: pastDue('payment_due') }))).toEqual({
      usd: 299.99,
      since,
      isPastDue: true,
    });
    expect(unpaidRenewal(subscribed())).toBe(undefined);
  });

  it('does not follow a month whose payment was refunded, which ends the plan', () => {
    const returned = subscribed({ pastDue: pastDue('payment_returned') });
    expect([nextPayment(returned, plans), unpaidRenewal(returned), endOf(returned)]).toEqual([
      undefined,
      undefined,
      '2027-01-03T09:00:00.000Z',
    ]);
  });

  it('does not follow a cancelled plan', () => {
    const cancelled = subscribed({ status: 'cancelled', endsAt: '2026-12-27T09:00:00.000Z' });
    expect([nextPayment(cancelled, plans), endOf(cancelled)]).toEqual([undefined, '2026-12-27T09:00:00.000Z']);
    expect(endOf(subscribed())).toBe(undefined);
  });
});
