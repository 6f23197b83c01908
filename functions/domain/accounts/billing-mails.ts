import type { AlertRule } from '#contract/routes/alerts.ts';
import type { StoredKey } from '../keys/key.ts';
import type { SubscriptionChange } from '../meter/meter.ts';
import { type Addressee, emailContent, type MailContent } from './mails.ts';

interface AlertMail {
  readonly rule: AlertRule;
  readonly key: Pick<StoredKey, 'prefix' | 'lastFour'> | undefined;
  readonly publicOrigin: string;
  readonly sellsCredits: boolean;
}

/** Created on use, because loading the first formatter takes 20 ms. */
const whole = (value: number): string => new Intl.NumberFormat('en-US').format(value);

/** Identifies a key by its first and last characters, because its name is arbitrary text. */
export function alertMail(to: Addressee, { rule, key, publicOrigin, sellsCredits }: AlertMail): MailContent {
  const more = sellsCredits
    ? { action: 'Buy credits', link: `${publicOrigin}/billing` }
    : { action: 'View plans', link: `${publicOrigin}/plans` };
  const footer = 'You get this mail once in a billing month. Change alerts in the settings.';
  if (rule.kind === 'balance_below') {
    const credits = `${whole(rule.value)} credits`;
    return emailContent({
      subject: `Your balance is below ${credits}`,
      to,
      body: `Less than ${credits} are left.`,
      ...more,
      footer,
    });
  }
  if (rule.kind === 'month_percent' && rule.value === 100) {
    const body = sellsCredits
      ? 'All your credits are used. Calls are refused until you buy credits, choose a larger plan, or the next month begins.'
      : 'All your credits are used. Calls are refused until you choose a larger plan, or the next month begins.';
    return emailContent({ subject: 'Your credits are used up', to, body, ...more, footer });
  }
  if (rule.kind === 'month_percent') {
    const share = `${rule.value}% of`;
    const body = `You have used ${share} the credits you had this month.`;
    return emailContent({ subject: `You have used ${share} your credits`, to, body, ...more, footer });
  }
  if (rule.kind === 'cap_percent') {
    const share = `${rule.value} % of`;
    return emailContent({
      subject: `You have used ${share} your spending cap`,
      to,
      body: `You have used ${share} the spending cap of this calendar month. At 100 % calls are refused until you raise the cap or the next month begins (UTC).`,
      action: 'View the cap',
      link: `${publicOrigin}/usage`,
      footer: 'You get this mail once in a calendar month. Change alerts in the settings.',
    });
  }
  const name = key ? `The key ${key.prefix}…${key.lastFour}` : 'A key';
  return emailContent({
    subject: `A key has used ${rule.value}% of its limit`,
    to,
    body: `${name} has used ${rule.value}% of its spending limit. At 100% its calls are refused until the limit resets.`,
    action: 'View keys',
    link: `${publicOrigin}/keys`,
    footer: 'You get this mail once for each key and period. Change alerts in the settings.',
  });
}

export interface PlanChangeText {
  readonly kind: SubscriptionChange['kind'];
  /** Title of the plan after the change. */
  readonly plan: string;
  /** Day on which the change takes effect, as `2026-12-31`. */
  readonly on: string;
}

const planTexts: Readonly<
  Partial<Record<SubscriptionChange['kind'], (change: PlanChangeText) => readonly [subject: string, body: string]>>
> = {
  subscribed: ({ plan }) => [
    `You are now on ${plan}`,
    `Your subscription to ${plan} has begun. Its credits were added.`,
  ],
  assigned: ({ plan }) => [`You are now on ${plan}`, `The operators of the service changed your plan to ${plan}.`],
  upgraded: ({ plan }) => [
    `You are now on ${plan}`,
    `Your plan was upgraded to ${plan}. Its limits apply now, and the additional credits were added.`,
  ],
  downgrade_scheduled: ({ plan, on }) => [
    `Your plan changes to ${plan} on ${on}`,
    `Your plan changes to ${plan} on ${on}. Until then it stays as it is.`,
  ],
  downgrade_cancelled: ({ plan }) => [
    `You stay on ${plan}`,
    `The change of your plan was withdrawn. You stay on ${plan}.`,
  ],
  downgraded: ({ plan }) => [`You are now on ${plan}`, `Your plan has changed to ${plan}, as you had chosen.`],
  replaced: ({ plan }) => [`You are now on ${plan}`, `Your previous plan has ended, and ${plan} replaces it.`],
  cancelled: ({ plan, on }) => [
    `You cancelled ${plan}`,
    `Your subscription to ${plan} was cancelled. You keep its limits until ${on}, and can resume it until then.`,
  ],
  resumed: ({ plan }) => [`${plan} continues`, `Your subscription to ${plan} was resumed and continues as before.`],
  renewed: ({ plan }) => [`${plan} was renewed`, `A new month of ${plan} has begun. Its credits were added.`],
};

/** Undefined for a change that has an email of its own. `link`: the plans. */
export function planChangedMail(to: Addressee, change: PlanChangeText, link: string): MailContent | undefined {
  const [subject, body] = planTexts[change.kind]?.(change) ?? [];
  if (subject === undefined || body === undefined) return undefined;
  const footer = 'If you did not expect this, write to the operators of the service.';
  return emailContent({ subject, to, body, action: 'View plans', link, footer });
}

interface PlanEndText {
  /** Titles of the plan that ends and of its replacement. */
  readonly plan: string;
  readonly next: string;
  /** Such as `19.00 USD`. */
  readonly price: string;
  /** Such as `5,000 credits`. */
  readonly credits: string;
  /** First day of the replacement, as `2026-12-31`. */
  readonly from: string;
}

export function planEndMail(
  to: Addressee,
  { plan, next, price, credits, from }: PlanEndText,
  link: string,
): MailContent {
  return emailContent({
    subject: `Your plan ends on ${from}`,
    to,
    body: `The plan ${plan} is no longer offered. Your subscription changes to ${next} on ${from}: ${price} and ${credits} per month.`,
    action: 'Look at the plans',
    link,
    footer: 'Until then, your plan stays as it is. You can choose another one or cancel at any time.',
  });
}
