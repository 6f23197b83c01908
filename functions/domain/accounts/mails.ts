import { isName } from '#contract/accounts/names.ts';
import type { Account } from './account.ts';

/** Content of a mail to a person. */
export interface MailContent {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/**
 * Whom a mail greets. Until the address is confirmed its account may be a stranger's, whose words would reach the
 * address's owner as ours: then it names nobody, nor does it by a name that was stored before there was a rule.
 */
export type Addressee = Pick<Account, 'name' | 'confirmedAt'>;

export function confirmationMail(to: Addressee, link: string): MailContent {
  return letter({
    subject: 'Confirm your e-mail address',
    to,
    body: 'Please confirm your e-mail address to make API keys. The link works for 24 hours.',
    action: 'Confirm address',
    link,
    footer: 'If you did not register, ignore this mail: without confirmation the account can do nothing.',
  });
}

export function resetMail(to: Addressee, link: string): MailContent {
  return letter({
    subject: 'Reset your password',
    to,
    body: 'Somebody, most likely you, requested a password reset for your account. The link works once and for 30 minutes.',
    action: 'Choose a new password',
    link,
    footer: 'If it was not you, ignore this mail: your password stays as it is.',
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

export function creditsLowMail(to: Addressee, link: string): MailContent {
  return letter({
    subject: 'You have used 80 % of your credits',
    to,
    body: 'You have used 80 % of the credits you had this month.',
    action: 'Look at the plans',
    link,
    footer: 'You get this mail once in a billing month.',
  });
}

export function creditsUsedUpMail(to: Addressee, link: string): MailContent {
  return letter({
    subject: 'Your credits are used up',
    to,
    body: 'All your credits are used, and calls are refused until the next month or a larger plan.',
    action: 'Look at the plans',
    link,
    footer: 'You get this mail once in a billing month.',
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

interface Letter {
  subject: string;
  to: Addressee;
  body: string;
  action: string;
  link: string;
  footer: string;
}

function letter({ subject, to, body, action, link, footer }: Letter): MailContent {
  const isOwner = to.confirmedAt !== undefined && isName(to.name);
  const greeting = isOwner ? `Hello ${to.name},` : 'Hello,';
  const text = [greeting, '', body, '', `${action}:`, link, '', footer, ''].join('\n');
  const html = `<!doctype html>
<html lang="en">
<body style="margin:0;padding:32px 16px;background:#f4f5f7;color:#1f2430;font:16px/1.5 system-ui,sans-serif">
<div style="max-width:480px;margin:auto;padding:32px;background:#fff;border-radius:12px">
<h1 style="margin:0 0 16px;font-size:20px">${escapeHtml(subject)}</h1>
<p>${escapeHtml(greeting)}</p>
<p>${escapeHtml(body)}</p>
<p style="margin:24px 0"><a href="${escapeHtml(link)}" style="display:inline-block;padding:12px 20px;background:#3b5bdb;color:#fff;border-radius:8px;text-decoration:none">${escapeHtml(action)}</a></p>
<p style="color:#5f6675;font-size:14px">${escapeHtml(footer)}</p>
</div>
</body>
</html>
`;
  return { subject, text, html };
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
