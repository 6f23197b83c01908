import { type Addressee, emailContent, type MailContent } from './mails.ts';

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
