import { type Addressee, emailContent, type MailContent } from '../accounts/mails.ts';

const disabledBecause = {
  requested: 'as requested',
  failing: 'because every delivery to it has failed for five days',
  gone: 'because it responded that it is gone (410)',
} as const;

export interface DisabledWebhook {
  readonly host: string;
  readonly reason: keyof typeof disabledBecause;
}

export function webhookDisabledMail(to: Addressee, { host, reason }: DisabledWebhook, link: string): MailContent {
  return emailContent({
    subject: 'Your webhook was disabled',
    to,
    body: `The webhook at ${host} was disabled ${disabledBecause[reason]}. It is sent nothing until you enable it again.`,
    action: 'View your webhooks',
    link,
    footer: 'What was pending is kept for 30 days and sent once the webhook is enabled.',
  });
}
