import { changeKinds } from '#contract/billing/plans.ts';
import type { AlertRule } from '#contract/routes/alerts.ts';
import { alertMail, planChangedMail, planEndMail } from '#domain/accounts/billing-mails.ts';
import {
  addressTakenMail,
  agreementMail,
  emailChangedMail,
  newAddressMail,
} from '#domain/accounts/email-change-mails.ts';
import type { Addressee, MailContent } from '#domain/accounts/mail-layout.ts';
import * as mails from '#domain/accounts/mails.ts';
import {
  keyCreatedMail,
  newDeviceMail,
  newOwnerMail,
  secondFactorRuleMail,
  securityMail,
} from '#domain/accounts/security-mails.ts';
import * as paymentMails from '#domain/payments/mails.ts';
import { webhookDisabledMail } from '#domain/webhooks/delivery.ts';

const failing = { host: 'a.example.com', reason: 'failing' } as const;
const planEnd = { plan: 'Old', next: 'New', price: '9.00 USD', credits: '500 credits', from: '2027-01-31' };
const bought = { what: '1,000 credits', cents: 1000, credits: 1000, creditsUntil: '2027-11-30' };
const card = { brand: 'visa', last4: '4242', expMonth: 1, expYear: 2027 };
const renewal = { plan: 'Dev Pass', cents: 2999, endsOn: '2026-12-08', creditsUntil: '2027-01-07' };
const topUp = { credits: 1000, cents: 1000, reason: 'declined', isOff: false } as const;
const returned = { what: 'Dev Pass', cents: 2999, creditsTaken: 10, reason: 'refunded' } as const;
const device = { browser: 'Firefox', system: 'Windows', country: 'DE', isLocal: false, at: Date.UTC(2027, 0, 31) };
const rule = { organization: 'Harbor Works', hasSecondFactor: false };
const transfer = { organization: 'Harbor Works', sender: 'Grace (grace@example.com)' };
const key = { prefix: 'tai_0123456789abc', lastFour: 'wxyz', createdAt: Date.UTC(2027, 0, 31) };

export type WriteMail = (to: Addressee, link: string) => MailContent;

const rules: readonly AlertRule[] = [
  { kind: 'balance_below', value: 500 },
  { kind: 'month_percent', value: 80 },
  { kind: 'month_percent', value: 100 },
  { kind: 'key_percent', value: 90 },
  { kind: 'cap_percent', value: 80 },
];

/** The link of an alert follows from the origin. */
const alerts = rules.map((rule): [string, (to: Addressee) => MailContent] => [
  `alertMail about ${rule.kind} ${rule.value}`,
  (to) => alertMail(to, { rule, key, publicOrigin: 'https://text.example.org', sellsCredits: true }),
]);

const planChanges = changeKinds.flatMap((kind): [string, WriteMail, boolean][] => {
  const write = (to: Addressee, link: string) =>
    planChangedMail(to, { kind, plan: 'Dev Pass', on: '2027-01-31' }, link);
  const isWritten = write({ name: 'Ada' }, '') !== undefined;
  return isWritten ? [[`planChangedMail of ${kind}`, (to, link) => write(to, link) ?? never(kind), true]] : [];
});

function never(kind: string): never {
  throw new Error(`there is no email about ${kind}`);
}

/** All emails. An email to an unknown address greets nobody by name. */
export const mailTemplates: [name: string, write: WriteMail, isToOwner: boolean][] = [
  ...Object.entries(mails).map(([name, write]): [string, WriteMail, boolean] => [name, write, true]),
  ['securityMail', (to, target) => securityMail(to, 'passkey-added', target), true],
  ['agreementMail', (to, target) => agreementMail(to, 'new@example.com', target), true],
  ['emailChangedMail', (to, target) => emailChangedMail(to, 'new@example.com', target), true],
  ['newDeviceMail', (to, target) => newDeviceMail(to, device, target), true],
  ['keyCreatedMail', (to, target) => keyCreatedMail(to, key, target), true],
  ['secondFactorRuleMail', (to, target) => secondFactorRuleMail(to, rule, target), true],
  ['newOwnerMail', (to, target) => newOwnerMail(to, transfer, target), true],
  ['webhookDisabledMail', (to, target) => webhookDisabledMail(to, failing, target), true],
  ...planChanges,
  ['planEndMail', (to, target) => planEndMail(to, planEnd, target), true],
  ['receiptMail', (to, target) => paymentMails.receiptMail(to, bought, target), true],
  ['paymentFailedMail', (to, target) => paymentMails.paymentFailedMail(to, renewal, target), true],
  ['confirmPaymentMail', (to, target) => paymentMails.confirmPaymentMail(to, bought, target), true],
  ['cardExpiringMail', (to, target) => paymentMails.cardExpiringMail(to, card, target), true],
  ['planEndedUnpaidMail', (to, target) => paymentMails.planEndedUnpaidMail(to, renewal, target), true],
  ['topUpFailedMail', (to, target) => paymentMails.topUpFailedMail(to, topUp, target), true],
  ['paymentReturnedMail', (to, target) => paymentMails.paymentReturnedMail(to, returned, target), true],
  ['newAddressMail', (_, target) => newAddressMail(target), false],
  ['addressTakenMail', (_, target) => addressTakenMail(target), false],
];

/** All emails as they are sent, with a long name and the link to the preferences. */
export const sentMails: (readonly [name: string, mail: MailContent])[] = (() => {
  const name = 'Wolfeschlegelsteinhausenbergerdorff Maximiliana von und zu';
  const to = { name, confirmedAt: 1, preferences: 'https://text.example.org/settings#emails' };
  const link = `https://text.example.org/confirm?token=${'tac_'.padEnd(64, 'x')}`;
  return [
    ...mailTemplates.map(([title, write]) => [title, write(to, link)] as const),
    ...alerts.map(([title, write]) => [title, write(to)] as const),
  ];
})();
