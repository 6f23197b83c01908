import type { AlertRule } from '#contract/routes/alerts.ts';
import type { StoredKey } from '../keys/key.ts';
import type { SubscriptionChange } from '../meter/meter.ts';
import { en, plural, type Phrase, type Value } from '../shared/phrases.ts';
import { type Addressee, emailContent, type MailContent } from './mail-layout.ts';

interface AlertMail {
  readonly rule: AlertRule;
  readonly key: Pick<StoredKey, 'prefix' | 'lastFour'> | undefined;
  readonly publicOrigin: string;
  readonly sellsCredits: boolean;
}

/** Identifies a key by its first and last characters, because its name is arbitrary text. */
export function alertMail(to: Addressee, { rule, key, publicOrigin, sellsCredits }: AlertMail): MailContent {
  const more = sellsCredits
    ? { action: en`Buy credits`, link: `${publicOrigin}/billing` }
    : { action: en`View plans`, link: `${publicOrigin}/plans` };
  const footer = en`You get this mail once in a billing month. Change alerts in the settings.`;
  if (rule.kind === 'balance_below') {
    return emailContent({
      subject: en`Your balance is below ${{ credits: plural(rule.value, '# credits', '# credits') }}`,
      to,
      body: en`Less than ${{ credits: plural(rule.value, '# credits', '# credits') }} are left.`,
      ...more,
      footer,
    });
  }
  if (rule.kind === 'month_percent' && rule.value === 100) {
    const body = sellsCredits
      ? en`All your credits are used. Calls are refused until you buy credits, choose a larger plan, or the next month begins.`
      : en`All your credits are used. Calls are refused until you choose a larger plan, or the next month begins.`;
    return emailContent({ subject: en`Your credits are used up`, to, body, ...more, footer });
  }
  if (rule.kind === 'month_percent') {
    const percent = rule.value;
    const body = en`You have used ${{ percent }}% of the credits you had this month.`;
    return emailContent({ subject: en`You have used ${{ percent }}% of your credits`, to, body, ...more, footer });
  }
  if (rule.kind === 'cap_percent') {
    const percent = rule.value;
    return emailContent({
      subject: en`You have used ${{ percent }} % of your spending cap`,
      to,
      body: en`You have used ${{ percent }} % of the spending cap of this calendar month. At 100 % calls are refused until you raise the cap or the next month begins (UTC).`,
      action: en`View the cap`,
      link: `${publicOrigin}/usage`,
      footer: en`You get this mail once in a calendar month. Change alerts in the settings.`,
    });
  }
  const percent = rule.value;
  const rest = en`At 100% its calls are refused until the limit resets.`;
  const used = key
    ? en`The key ${{ key: `${key.prefix}…${key.lastFour}` }} has used ${{ percent }}% of its spending limit.`
    : en`A key has used ${{ percent }}% of its spending limit.`;
  return emailContent({
    subject: en`A key has used ${{ percent }}% of its limit`,
    to,
    body: [used, rest],
    action: en`View keys`,
    link: `${publicOrigin}/keys`,
    footer: en`You get this mail once for each key and period. Change alerts in the settings.`,
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
  Partial<Record<SubscriptionChange['kind'], (change: PlanChangeText) => readonly [subject: Phrase, body: Phrase]>>
> = {
  subscribed: ({ plan }) => [
    en`You are now on ${{ plan }}`,
    en`Your subscription to ${{ plan }} has begun. Its credits were added.`,
  ],
  assigned: ({ plan }) => [
    en`You are now on ${{ plan }}`,
    en`The operators of the service changed your plan to ${{ plan }}.`,
  ],
  upgraded: ({ plan }) => [
    en`You are now on ${{ plan }}`,
    en`Your plan was upgraded to ${{ plan }}. Its limits apply now, and the additional credits were added.`,
  ],
  downgrade_scheduled: ({ plan, on }) => [
    en`Your plan changes to ${{ plan }} on ${{ on: { day: on } }}`,
    en`Your plan changes to ${{ plan }} on ${{ on: { day: on } }}. Until then it stays as it is.`,
  ],
  downgrade_cancelled: ({ plan }) => [
    en`You stay on ${{ plan }}`,
    en`The change of your plan was withdrawn. You stay on ${{ plan }}.`,
  ],
  downgraded: ({ plan }) => [
    en`You are now on ${{ plan }}`,
    en`Your plan has changed to ${{ plan }}, as you had chosen.`,
  ],
  replaced: ({ plan }) => [
    en`You are now on ${{ plan }}`,
    en`Your previous plan has ended, and ${{ plan }} replaces it.`,
  ],
  cancelled: ({ plan, on }) => [
    en`You cancelled ${{ plan }}`,
    en`Your subscription to ${{ plan }} was cancelled. You keep its limits until ${{ on: { day: on } }}, and can resume it until then.`,
  ],
  resumed: ({ plan }) => [
    en`${{ plan }} continues`,
    en`Your subscription to ${{ plan }} was resumed and continues as before.`,
  ],
  renewed: ({ plan }) => [
    en`${{ plan }} was renewed`,
    en`A new month of ${{ plan }} has begun. Its credits were added.`,
  ],
};

/** Undefined for a change that has an email of its own. `link`: the plans. */
export function planChangedMail(to: Addressee, change: PlanChangeText, link: string): MailContent | undefined {
  const [subject, body] = planTexts[change.kind]?.(change) ?? [];
  if (subject === undefined || body === undefined) return undefined;
  const footer = en`If you did not expect this, write to the operators of the service.`;
  return emailContent({ subject, to, body, action: en`View plans`, link, footer });
}

interface PlanEndText {
  /** Titles of the plan that ends and of its replacement. */
  readonly plan: string;
  readonly next: string;
  /** Such as `19.00 USD`. */
  readonly price: Value;
  /** Such as `5,000 credits`. */
  readonly credits: string | Phrase;
  /** First day of the replacement, as `2026-12-31`. */
  readonly from: string;
}

export function planEndMail(
  to: Addressee,
  { plan, next, price, credits, from }: PlanEndText,
  link: string,
): MailContent {
  return emailContent({
    subject: en`Your plan ends on ${{ from: { day: from } }}`,
    to,
    body: en`The plan ${{ plan }} is no longer offered. Your subscription changes to ${{ next }} on ${{ from: { day: from } }}: ${{ price }} and ${{ credits }} per month.`,
    action: en`Look at the plans`,
    link,
    footer: en`Until then, your plan stays as it is. You can choose another one or cancel at any time.`,
  });
}
