import { isName } from '#contract/accounts/names.ts';
import { brand } from '#contract/shared/brand.ts';
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

/** Layout of every email to a person: text with one link. */
export function letter({ subject, to, body, action, link, footer }: Letter): MailContent {
  const isOwner = to.confirmedAt !== undefined && isName(to.name);
  const greeting = isOwner ? `Hello ${to.name},` : 'Hello,';
  const text = [greeting, '', body, '', `${action}:`, link, '', footer, '', brand.name, ''].join('\n');
  const html = `<!doctype html>
<html lang="en">
<head><title>${escapeHtml(subject)}</title></head>
<body style="margin:0;padding:0;background:${brand.page};color:${brand.ink};font:16px/1.5 system-ui,-apple-system,'Segoe UI',sans-serif">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" bgcolor="${brand.page}"><tr><td align="center" style="padding:24px 12px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:520px;text-align:left">
<tr><td style="padding:0 4px 16px">
<table role="presentation" cellpadding="0" cellspacing="0"><tr>
<td bgcolor="${brand.accent}" style="border-radius:8px;padding:8px 4px 6px 8px">${logo}</td>
<td style="padding-left:10px;font-size:18px;font-weight:700;letter-spacing:-0.02em">
${brand.name}
</td></tr></table>
</td></tr>
<tr><td bgcolor="${brand.card}" style="padding:28px 24px;border:1px solid ${brand.line};border-radius:12px">
<h1 style="margin:0 0 16px;font-size:22px;line-height:1.25;letter-spacing:-0.01em">${escapeHtml(subject)}</h1>
<p>${escapeHtml(greeting)}</p>
<p>${escapeHtml(body)}</p>
<p style="margin:24px 0"><a href="${escapeHtml(link)}" style="display:inline-block;padding:12px 20px;background:${brand.accent};color:#ffffff;border-radius:8px;font-weight:600;text-decoration:none">${escapeHtml(action)}</a></p>
<p style="margin:0;padding-top:16px;border-top:1px solid ${brand.line};color:${brand.dim};font-size:14px">${escapeHtml(footer)}</p>
</td></tr>
</table>
</td></tr></table>
</body>
</html>
`;
  return { subject, text, html };
}

/**
 * The dashboard's logo without an image, because email clients block images: text lines of decreasing length, and a
 * coin.
 */
const line = (width: number): string =>
  `<div style="width:${width}px;height:3px;margin:0 0 4px;border-radius:2px;background:#ffffff"></div>`;
const dot = (width: number, height: number, color: string): string =>
  `<span style="display:inline-block;width:${width}px;height:${height}px;margin-right:4px;border-radius:4px;background:${color};vertical-align:middle"></span>`;
const logo = `${line(16)}${line(10)}<div style="width:20px;height:7px;margin-top:-2px;font-size:0;line-height:7px">${dot(5, 3, '#ffffff')}${dot(7, 7, brand.coin)}</div>`;

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
