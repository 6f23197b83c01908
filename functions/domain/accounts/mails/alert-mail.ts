import type { AlertRule } from '#contract/alerts/alerts.ts';
import type { StoredKey } from '../../keys/key-record.ts';
import { type Addressee, letter, type MailContent } from './letter.ts';

interface AlertMail {
  readonly rule: AlertRule;
  /** That a rule of keys is about, unless it has gone. */
  readonly key: Pick<StoredKey, 'prefix' | 'lastFour'> | undefined;
  readonly publicOrigin: string;
}

/** Made for a mail, as the first one of a process takes 20 ms to load. */
const whole = (value: number): string => new Intl.NumberFormat('en-US').format(value);

/** The mail of an alert. It names a key by its first and last characters: its name is its owner's text. */
export function alertMail(to: Addressee, { rule, key, publicOrigin }: AlertMail): MailContent {
  const plans = { action: 'Look at the plans', link: `${publicOrigin}/plans` };
  const footer = 'You get this mail once in a billing month. Change alerts in the settings.';
  if (rule.kind === 'balance_below') {
    const credits = `${whole(rule.value)} credits`;
    return letter({
      subject: `Your balance is below ${credits}`,
      to,
      body: `Less than ${credits} are left.`,
      ...plans,
      footer,
    });
  }
  if (rule.kind === 'month_percent' && rule.value === 100) {
    const body = 'All your credits are used, and calls are refused until the next month or a larger plan.';
    return letter({ subject: 'Your credits are used up', to, body, ...plans, footer });
  }
  if (rule.kind === 'month_percent') {
    const share = `${rule.value} % of`;
    const body = `You have used ${share} the credits you had this month.`;
    return letter({ subject: `You have used ${share} your credits`, to, body, ...plans, footer });
  }
  const name = key ? `The key ${key.prefix}…${key.lastFour}` : 'A key';
  return letter({
    subject: `A key has used ${rule.value} % of its limit`,
    to,
    body: `${name} has used ${rule.value} % of its spending limit. At 100 % its calls are refused until the limit resets.`,
    action: 'Look at the keys',
    link: `${publicOrigin}/keys`,
    footer: 'You get this mail once for each key and period. Change alerts in the settings.',
  });
}
