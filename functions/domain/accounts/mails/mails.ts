import { type Addressee, letter, type MailContent } from './letter.ts';

export function confirmationMail(to: Addressee, link: string): MailContent {
  return letter({
    subject: 'Confirm your email address',
    to,
    body: 'Please confirm your email address to activate your account. The link works for 24 hours.',
    action: 'Confirm address',
    link,
    footer: 'If you did not register, you can ignore this email: without confirmation the account cannot be used.',
  });
}

export function resetMail(to: Addressee, link: string): MailContent {
  return letter({
    subject: 'Reset your password',
    to,
    body: 'Somebody, most likely you, requested a password reset for your account. The link works once and for 30 minutes.',
    action: 'Choose a new password',
    link,
    footer: 'If it was not you, you can ignore this email: your password stays as it is.',
  });
}

export function passwordChangedMail(to: Addressee, link: string): MailContent {
  return letter({
    subject: 'Your password was changed',
    to,
    body: 'The password of your account was changed just now, and other devices were signed out.',
    action: 'That was not me',
    link,
    footer: 'If it was you, there is nothing to do.',
  });
}

const disabledBecause = {
  requested: 'as requested',
  failing: 'because every delivery to it has failed for five days',
  gone: 'because it responded that it is gone (410)',
} as const;

/** What became of a webhook at a host. */
export interface DisabledWebhook {
  readonly host: string;
  readonly reason: keyof typeof disabledBecause;
}

export function webhookDisabledMail(to: Addressee, { host, reason }: DisabledWebhook, link: string): MailContent {
  return letter({
    subject: 'Your webhook was disabled',
    to,
    body: `The webhook at ${host} was disabled ${disabledBecause[reason]}. It is sent nothing until you enable it again.`,
    action: 'View your webhooks',
    link,
    footer: 'What was pending is kept for 30 days and sent once the webhook is enabled.',
  });
}

export function accountDeletedMail(to: Addressee, link: string): MailContent {
  return letter({
    subject: 'Your account was deleted',
    to,
    body: 'Your account was deleted: its keys stopped working immediately, and its data will be purged in 30 days.',
    action: 'Go to the service',
    link,
    footer: 'If it was not you, write to the operators of the service within these 30 days.',
  });
}
