import { isName } from '#contract/accounts/names.ts';
import { offer } from '#contract/offer/current-offer.ts';
import { brand, escapeHtml } from '#contract/shared/html.ts';
import type { Account } from './account.ts';

export function confirmationMail(to: Addressee, link: string): MailContent {
  return emailContent({
    subject: 'Confirm your email address',
    to,
    body: 'Please confirm your email address to activate your account. The link works for 24 hours.',
    action: 'Confirm address',
    link,
    footer: 'If you did not register, you can ignore this email: without confirmation the account cannot be used.',
  });
}

export function resetMail(to: Addressee, link: string): MailContent {
  return emailContent({
    subject: 'Reset your password',
    to,
    body: 'Somebody, most likely you, requested a password reset for your account. The link works once and for 30 minutes.',
    action: 'Choose a new password',
    link,
    footer: 'If it was not you, you can ignore this email: your password stays as it is.',
  });
}

export function passwordChangedMail(to: Addressee, link: string): MailContent {
  return emailContent({
    subject: 'Your password was changed',
    to,
    body: 'The password of your account was changed just now, and other devices were signed out.',
    action: 'That was not me',
    link,
    footer: 'If it was you, there is nothing to do.',
  });
}

export function accountDeletedMail(to: Addressee, link: string): MailContent {
  return emailContent({
    subject: 'Your account was deleted',
    to,
    body: 'Your account was deleted: its keys stopped working immediately, and its data will be purged in 30 days.',
    action: 'Go to the service',
    link,
    footer: 'If it was not you, write to the operators of the service within these 30 days.',
  });
}

export interface MailContent {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/**
 * Omits the name until the address is confirmed, because a stranger who registers the address could otherwise send
 * arbitrary text to its owner.
 */
export type Addressee = Pick<Account, 'name' | 'confirmedAt'> & {
  /** Name of the organization that the email is about, for one of its members. */
  readonly organization?: string;
  /** Link to the preferences, shown below the email. */
  readonly preferences?: string;
};

interface EmailLayout {
  subject: string;
  to: Addressee;
  body: string;
  action: string;
  link: string;
  footer: string;
}

export function emailContent({ subject, to, body, action, link, footer }: EmailLayout): MailContent {
  const isOwner = to.confirmedAt !== undefined && isName(to.name);
  const about = to.organization === undefined ? [] : [`Organization: ${to.organization}`];
  const greeting = isOwner ? `Hello ${to.name},` : 'Hello,';
  const { preferences } = to;
  const choice = preferences === undefined ? [] : ['Choose which emails you get:', preferences, ''];
  const signature = [...choice, brand.name, ...contacts.map(({ label, target }) => `${label}: ${target}`), ''];
  const text = [
    greeting,
    '',
    ...about.flatMap((line) => [line, '']),
    body,
    '',
    `${action}:`,
    link,
    '',
    footer,
    '',
    ...signature,
  ].join('\n');
  const html = `<!doctype html>
<html lang="en">
<head><title>${escapeHtml(subject)}</title></head>
<body style="margin:0;padding:0;background:${brand.page};color:${brand.ink};font:16px/1.5 system-ui,-apple-system,'Segoe UI',sans-serif">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" bgcolor="${brand.page}"><tr><td align="center" style="padding:24px 12px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:520px;text-align:left">
<tr><td style="padding:0 4px 16px">
<table role="presentation" cellpadding="0" cellspacing="0"><tr>
${mark}
<td style="${mark === '' ? '' : 'padding-left:10px;'}font-size:18px;font-weight:700;letter-spacing:-0.02em">
${escapeHtml(brand.name)}
</td></tr></table>
</td></tr>
<tr><td bgcolor="${brand.card}" style="overflow-wrap:anywhere;padding:28px 24px;border:1px solid ${brand.line};border-radius:12px">
<h1 style="margin:0 0 16px;font-size:22px;line-height:1.25;letter-spacing:-0.01em">${escapeHtml(subject)}</h1>
<p>${escapeHtml(greeting)}</p>
${about.map((line) => `<p><b>${escapeHtml(line)}</b></p>\n`).join('')}<p>${escapeHtml(body)}</p>
<p style="margin:24px 0"><a href="${escapeHtml(link)}" style="display:inline-block;padding:12px 20px;background:${brand.accent};color:#ffffff;border-radius:8px;font-weight:600;text-decoration:none">${escapeHtml(action)}</a></p>
<p style="margin:0;padding-top:16px;border-top:1px solid ${brand.line};color:${brand.dim};font-size:14px">${escapeHtml(footer)}</p>
</td></tr>${preferences === undefined ? '' : belowCard(linkTo(preferences, 'Choose which emails you get'))}${contactLine}
</table>
</td></tr></table>
</body>
</html>
`;
  return { subject, text, html };
}

/** The dashboard's logo without an image, because email clients block images. */
const line = (width: number): string =>
  `<div style="width:${width}px;height:3px;margin:0 0 4px;border-radius:2px;background:#ffffff"></div>`;
const dot = (width: number, height: number, color: string): string =>
  `<span style="display:inline-block;width:${width}px;height:${height}px;margin-right:4px;border-radius:4px;background:${color};vertical-align:middle"></span>`;
const lines = `${line(16)}${line(10)}<div style="width:20px;height:7px;margin-top:-2px;font-size:0;line-height:7px">${dot(5, 3, '#ffffff')}${dot(7, 7, brand.coin)}</div>`;

const { logo, links, supportEmail } = offer.product;

/** Many clients show no SVG, so a product with its own logo has none here. */
const mark =
  logo === null ? `<td bgcolor="${brand.accent}" style="border-radius:8px;padding:8px 4px 6px 8px">${lines}</td>` : '';

interface Contact {
  readonly label: string;
  readonly target: string;
  readonly href: string;
}

const contacts: readonly Contact[] = [
  ...(supportEmail === null ? [] : [{ label: 'Support', target: supportEmail, href: `mailto:${supportEmail}` }]),
  ...(links.terms ? [{ label: 'Terms', target: links.terms, href: links.terms }] : []),
  ...(links.privacy ? [{ label: 'Privacy', target: links.privacy, href: links.privacy }] : []),
];

const linkTo = (href: string, label: string): string =>
  `<a href="${escapeHtml(href)}" style="color:${brand.dim}">${label}</a>`;

const belowCard = (html: string): string =>
  `\n<tr><td style="padding:16px 4px 0;color:${brand.dim};font-size:14px">${html}</td></tr>`;

const contactLine =
  contacts.length === 0 ? '' : belowCard(contacts.map(({ label, href }) => linkTo(href, label)).join(' · '));
