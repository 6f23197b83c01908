import { describe, expect, it } from 'vitest';
import type { MailContent } from '#domain/accounts/mail-layout.ts';
import {
  cardExpiringMail,
  confirmPaymentMail,
  paymentFailedMail,
  paymentReturnedMail,
  planEndedUnpaidMail,
  receiptMail,
  topUpFailedMail,
} from '#domain/payments/mails.ts';

const to = { name: 'Ada', confirmedAt: 1 };
const link = 'https://text.example.org/billing';
const topUp = { credits: 1000, cents: 1000 };

const cases: [about: string, mail: MailContent, subject: string, body: string, action: string][] = [
  [
    'a receipt for a pack',
    receiptMail(to, { what: '5,000 credits', cents: 4550, credits: 5000, creditsUntil: '2027-11-30' }, link),
    'Receipt for 45.50 USD',
    'We received your payment of 45.50 USD for: 5,000 credits. 5,000 credits were added and can be spent until 2027-11-30.',
    'View the receipt',
  ],
  [
    'a receipt without credits',
    receiptMail(to, { what: 'Upgrade to Pro Pass', cents: 51, credits: 0, creditsUntil: '' }, link),
    'Receipt for 0.51 USD',
    'We received your payment of 0.51 USD for: Upgrade to Pro Pass.',
    'View the receipt',
  ],
  [
    'a failed renewal',
    paymentFailedMail(to, { plan: 'Dev Pass', cents: 2999, endsOn: '2026-12-08' }, link),
    'Your payment for Dev Pass failed',
    'We could not charge 29.99 USD for the next month of Dev Pass. You keep the limits of the plan until 2026-12-08, without new credits. If it is not paid by then, the plan ends.',
    'Pay or change the card',
  ],
  [
    'a payment to confirm',
    confirmPaymentMail(to, { what: 'Upgrade to Pro Pass', cents: 27_000 }, link),
    'Confirm your payment',
    'Your bank requires you to confirm the payment of 270.00 USD for: Upgrade to Pro Pass. Nothing is charged or changed until then.',
    'Confirm the payment',
  ],
  [
    'an expiring card',
    cardExpiringMail(to, { brand: 'visa', last4: '4242', expMonth: 1, expYear: 2027 }, link),
    'Your card expires soon',
    'The Visa card ending in 4242 expires at the end of 01/2027. Save another one, so that your plan and automatic top-ups continue.',
    'Change the card',
  ],
  [
    'a plan that ended unpaid',
    planEndedUnpaidMail(to, { plan: 'Dev Pass', creditsUntil: '2027-01-07' }, link),
    'Dev Pass ended because it was not paid',
    'The current month of Dev Pass was not paid, or its payment was refunded or disputed, so the plan has ended after seven days. Its remaining credits can be spent until 2027-01-07. Credits that you bought keep their own date.',
    'Choose a plan',
  ],
  [
    'a declined top-up that is tried again',
    topUpFailedMail(to, { ...topUp, reason: 'declined', isOff: false }, link),
    'Your automatic top-up failed',
    'The automatic purchase of 1,000 credits for 10.00 USD failed, because your card was declined. It will be tried again.',
    'View billing',
  ],
  [
    'a top-up over the monthly limit',
    topUpFailedMail(to, { ...topUp, reason: 'monthly_limit', isOff: false }, link),
    'Your automatic top-up failed',
    'The automatic purchase of 1,000 credits for 10.00 USD failed, because it would exceed your limit for this month. It continues next month (UTC).',
    'View billing',
  ],
  [
    'a top-up that the bank must confirm',
    topUpFailedMail(to, { ...topUp, reason: 'action_required', isOff: true }, link),
    'Your automatic top-up was switched off',
    'The automatic purchase of 1,000 credits for 10.00 USD failed, because your bank requires you to confirm it. The automatic top-up is now off.',
    'Confirm the payment',
  ],
  [
    'a top-up that is off because a payment was returned',
    topUpFailedMail(to, { ...topUp, reason: 'returned', isOff: true }, link),
    'Your automatic top-up was switched off',
    'A payment was refunded or disputed. The automatic top-up is now off.',
    'View billing',
  ],
  [
    'a refund of a half-spent pack',
    paymentReturnedMail(to, { what: '1,000 credits', cents: 1000, creditsTaken: 1, reason: 'refunded' }, link),
    'We refunded 10.00 USD',
    'We refunded 10.00 USD of your payment for 1,000 credits. 1 credit was taken back.',
    'View billing',
  ],
  [
    'a dispute',
    paymentReturnedMail(to, { what: '1,000 credits', cents: 1000, creditsTaken: 0, reason: 'disputed' }, link),
    'A payment was disputed',
    'Your bank reported a dispute over 10.00 USD of your payment for 1,000 credits.',
    'View billing',
  ],
  [
    'money for a plan that had ended',
    paymentReturnedMail(to, { what: 'Dev Pass', cents: 2999, creditsTaken: 0, reason: 'late' }, link),
    'We refunded 29.99 USD',
    'Your payment for Dev Pass arrived after the plan had ended, so we refunded 29.99 USD.',
    'View billing',
  ],
];

describe.each(cases)('the email about %s', (_, { text, subject }, expectedSubject, body, action) => {
  it('states the amount, its effect and the next step', () => {
    expect(subject).toBe(expectedSubject);
    const [greeting, , sentences, , label, target] = text.split('\n');
    expect([greeting, sentences, label, target]).toEqual(['Hello Ada,', body, `${action}:`, link]);
  });
});
