import { i18n, type MessageDescriptor } from '@lingui/core';
import { msg, t } from '@lingui/core/macro';
import type { InferOutput } from 'valibot';
import { planListing } from '#contract/billing/plans.ts';
import type { AccountDetails, AuditPage } from '#contract/operators/operators.ts';
import { formatCredits, formatExact, formatItems, formatPrice, isUnlimited } from '../../lib/format.ts';
import { planTitle } from '../../lib/offer.ts';

export type Account = InferOutput<typeof AccountDetails>;

/** Values of the API that appear as words. */
const words: Readonly<Record<string, MessageDescriptor>> = {
  active: msg`active`,
  suspended: msg`suspended`,
  cancelled: msg`cancelled`,
  none: msg`none`,
  viewer: msg`viewer`,
  operator: msg`operator`,
  required: msg`required`,
  optional: msg`optional`,
  blocked: msg`blocked`,
  open: msg({ message: 'open', comment: 'Emails to an address are sent' }),
};

/** Returns the word for a value of the API, or the value itself if it has none. */
export function wordOf<Value extends string | undefined>(value: Value): Value | string {
  const word = value === undefined ? undefined : words[value];
  return word ? i18n._(word) : value;
}

export type AuditEntry = InferOutput<typeof AuditPage>['events'][number];
type State = AuditEntry['before'];

const fieldsOf = ({ status, plan, subscription, credits, keyId = '', key, role, ...others }: State) => [
  [t`Status`, wordOf(status)],
  [t`Plan`, plan && planTitle(plan)],
  [t`Subscription`, wordOf(subscription)],
  [t`Credits`, credits === undefined ? undefined : formatCredits(credits)],
  [t`Key ${{ start: keyId.slice(0, 8) }}…`, wordOf(key)],
  [t`Role`, wordOf(role)],
  [t`Version`, others.termsVersion],
  [t`Days`, others.contentDays],
  [t`Request`, others.contentOf],
  [t`Blocking payments`, others.holds],
  [t`Emails`, wordOf(others.mail)],
  [t`Two-step sign-in`, wordOf(others.secondFactor)],
];

/** Describes the changed fields: "Status active → suspended". */
export function changesOf({ before, after }: Pick<AuditEntry, 'before' | 'after'>): string {
  const earlier = fieldsOf(before);
  const changed = fieldsOf(after).flatMap(([title, to], index) => {
    const from = earlier[index]?.[1];
    return from === to ? [] : [t`${{ field: title ?? '' }} ${{ before: from ?? '–' }} → ${{ after: to ?? '–' }}`];
  });
  const granted = (after.credits ?? 0) - (before.credits ?? 0);
  if (changed.length === 0 && granted > 0)
    return t`Credits +${{ granted: formatExact(granted) }}; the balance is unlimited`;
  return changed.length > 0 ? formatItems(changed) : t`No changes`;
}

/** Explains a grant before it is made, including that it has no effect on an unlimited balance. */
export function grantText({ email, credits: { lots } }: Pick<Account, 'email' | 'credits'>): string {
  const left = lots.reduce((sum, { remaining }) => sum + remaining, 0);
  return isUnlimited(left)
    ? t`The balance of ${email} is unlimited, so a grant changes nothing while the plan has no limit. The credits expire after three months and cannot be taken back.`
    : t`${email} can spend them immediately and for three months. They cannot be taken back.`;
}

interface SuspendableKey {
  readonly status: string;
  readonly suspendedByOperator: boolean;
}

/** Describes the suspension of a key. Undefined if an operator cannot suspend it. */
export function suspendKeyText({ status, suspendedByOperator }: SuspendableKey): string | undefined {
  if (status === 'revoked' || status === 'expired' || suspendedByOperator) return undefined;
  return status === 'suspended'
    ? t`The owner suspended this key and can resume it. After your suspension, the owner can only revoke it and create a new one.`
    : t`Calls with this key are rejected immediately. The owner cannot resume it, only revoke it and create a new one.`;
}

/** The price of a subscription. `takesPayments`: whether the deployment charges for plans. */
export function billingText(
  plan: string,
  { price, paidUntil }: Pick<NonNullable<Account['subscription']>, 'price' | 'paidUntil'>,
  takesPayments: boolean,
): { readonly price: string; readonly isBilled: boolean } {
  if (planListing.find(({ name }) => name === plan)?.price === null)
    return { price: t`Assigned, not billed`, isBilled: false };
  if (price === 0) return { price: formatPrice(price), isBilled: true };
  return takesPayments && paidUntil === undefined
    ? { price: t`Not billed`, isBilled: false }
    : { price: t`${{ price: formatPrice(price) }} per month`, isBilled: true };
}
