import { isName } from '#contract/accounts/names.ts';
import type { Account } from '../account.ts';

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

interface Letter {
  subject: string;
  to: Addressee;
  body: string;
  action: string;
  link: string;
  footer: string;
}

/** A mail with one thing to do, which is a link. */
export function letter({ subject, to, body, action, link, footer }: Letter): MailContent {
  const isOwner = to.confirmedAt !== undefined && isName(to.name);
  const greeting = isOwner ? `Hello ${to.name},` : 'Hello,';
  const text = [greeting, '', body, '', `${action}:`, link, '', footer, ''].join('\n');
  const html = `<!doctype html>
<html lang="en">
<body style="margin:0;padding:32px 16px;background:#faf9f6;color:#1e1d1a;font:16px/1.5 system-ui,sans-serif">
<div style="max-width:480px;margin:auto;padding:32px;background:#fff;border:1px solid #e2ded5;border-radius:12px">
<h1 style="margin:0 0 16px;font-size:20px">${escapeHtml(subject)}</h1>
<p>${escapeHtml(greeting)}</p>
<p>${escapeHtml(body)}</p>
<p style="margin:24px 0"><a href="${escapeHtml(link)}" style="display:inline-block;padding:12px 20px;background:#1f7551;color:#fff;border-radius:8px;text-decoration:none">${escapeHtml(action)}</a></p>
<p style="color:#69645a;font-size:14px">${escapeHtml(footer)}</p>
</div>
</body>
</html>
`;
  return { subject, text, html };
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
