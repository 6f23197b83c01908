import { isName } from '#contract/accounts/names.ts';
import type { Language } from '#contract/accounts/preferences.ts';
import { offer } from '#contract/offer/current-offer.ts';
import { brand, escapeHtml } from '#contract/shared/html.ts';
import { en, type Phrase } from '../shared/phrases.ts';
import type { Account } from './account.ts';

export interface MailContent {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The parts as JSON, from which an email in another language is made when it is sent. */
  readonly letter?: string;
}

/**
 * Omits the name until the address is confirmed, because a stranger who registers the address could otherwise send
 * arbitrary text to its owner.
 */
export type Addressee = Pick<Account, 'name' | 'confirmedAt' | 'language'> & {
  /** Name of the organization that the email is about, for one of its members. */
  readonly organization?: string;
  /** Link to the preferences, shown below the email. */
  readonly preferences?: string;
};

export interface Letter {
  readonly subject: Phrase;
  readonly to: Addressee;
  /** Sentences of one paragraph. */
  readonly body: Phrase | readonly Phrase[];
  readonly action: Phrase;
  readonly link: string;
  readonly footer: Phrase;
}

/** Builds an email in English. For another language, adds the parts that the translation needs. */
export function emailContent(letter: Letter): MailContent {
  const content = contentIn(letter, 'en', ({ english }) => english);
  const { name, confirmedAt, organization, preferences, language = 'en' } = letter.to;
  if (language === 'en') return content;
  const to = { name, confirmedAt, organization, preferences, language };
  return { ...content, letter: JSON.stringify({ ...letter, to }) };
}

/** Email clients ignore logical properties of CSS, so the side of the start is named. */
export function contentIn(letter: Letter, language: Language, say: (phrase: Phrase) => string): MailContent {
  const { to, link } = letter;
  const [subject, action, footer] = [say(letter.subject), say(letter.action), say(letter.footer)];
  const body = [letter.body]
    .flat()
    .map(say)
    .join(language === 'ja' ? '' : ' ');
  const isRtl = language === 'ar';
  const [start, end, dir] = isRtl ? ['right', 'left', ' dir="rtl"'] : ['left', 'right', ''];
  const { name, organization, preferences } = to;
  const isOwner = to.confirmedAt !== undefined && isName(name);
  const about = organization === undefined ? [] : [say(en`Organization: ${{ organization }}`)];
  const greeting = say(isOwner ? en`Hello ${{ name }},` : en`Hello,`);
  const choose = say(en`Choose which emails you get`);
  const choice = preferences === undefined ? [] : [`${choose}:`, preferences, ''];
  const named = contacts.map((contact) => ({ ...contact, label: say(contact.label) }));
  const signature = [...choice, brand.name, ...named.map(({ label, target }) => `${label}: ${target}`), ''];
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
<html lang="${language}"${dir}>
<head><title>${escapeHtml(subject)}</title></head>
<body${dir} style="margin:0;padding:0;background:${brand.page};color:${brand.ink};font:16px/1.5 system-ui,-apple-system,'Segoe UI',sans-serif">
<table${dir} role="presentation" width="100%" cellpadding="0" cellspacing="0" bgcolor="${brand.page}"><tr><td align="center" style="padding:24px 12px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:520px;text-align:${start}">
<tr><td style="padding:0 4px 16px">
<table role="presentation" cellpadding="0" cellspacing="0"><tr>
${mark(start, end)}
<td style="${logo === null ? `padding-${start}:10px;` : ''}font-size:18px;font-weight:700;letter-spacing:-0.02em">
${escapeHtml(brand.name)}
</td></tr></table>
</td></tr>
<tr><td bgcolor="${brand.card}" style="overflow-wrap:anywhere;padding:28px 24px;border:1px solid ${brand.line};border-radius:12px">
<h1 style="margin:0 0 16px;font-size:22px;line-height:1.25${isRtl ? '' : ';letter-spacing:-0.01em'}">${escapeHtml(subject)}</h1>
<p>${escapeHtml(greeting)}</p>
${about.map((line) => `<p><b>${escapeHtml(line)}</b></p>\n`).join('')}<p>${escapeHtml(body)}</p>
<p style="margin:24px 0"><a href="${escapeHtml(link)}" style="display:inline-block;padding:12px 20px;background:${brand.accent};color:#ffffff;border-radius:8px;font-weight:600;text-decoration:none">${escapeHtml(action)}</a></p>
<p style="margin:0;padding-top:16px;border-top:1px solid ${brand.line};color:${brand.dim};font-size:14px">${escapeHtml(footer)}</p>
</td></tr>${preferences === undefined ? '' : belowCard(linkTo(preferences, choose))}${contactLine(named)}
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
const dot = (width: number, height: number, color: string, end: string): string =>
  `<span style="display:inline-block;width:${width}px;height:${height}px;margin-${end}:4px;border-radius:4px;background:${color};vertical-align:middle"></span>`;
const lines = (end: string): string =>
  `${line(16)}${line(10)}<div style="width:20px;height:7px;margin-top:-2px;font-size:0;line-height:7px">${dot(5, 3, '#ffffff', end)}${dot(7, 7, brand.coin, end)}</div>`;

const { logo, links, supportEmail } = offer.product;

/** Many clients show no SVG, so a product with its own logo has none here. */
const mark = (start: string, end: string): string =>
  logo === null
    ? `<td bgcolor="${brand.accent}" style="border-radius:8px;padding:${start === 'left' ? '8px 4px 6px 8px' : '8px 8px 6px 4px'}">${lines(end)}</td>`
    : '';

interface Contact<Label> {
  readonly label: Label;
  readonly target: string;
  readonly href: string;
}

const contacts: readonly Contact<Phrase>[] = [
  ...(supportEmail === null ? [] : [{ label: en`Support`, target: supportEmail, href: `mailto:${supportEmail}` }]),
  ...(links.terms ? [{ label: en`Terms`, target: links.terms, href: links.terms }] : []),
  ...(links.privacy ? [{ label: en`Privacy`, target: links.privacy, href: links.privacy }] : []),
];

const linkTo = (href: string, label: string): string =>
  `<a href="${escapeHtml(href)}" style="color:${brand.dim}">${label}</a>`;

const belowCard = (html: string): string =>
  `\n<tr><td style="padding:16px 4px 0;color:${brand.dim};font-size:14px">${html}</td></tr>`;

const contactLine = (named: readonly Contact<string>[]): string =>
  named.length === 0 ? '' : belowCard(named.map(({ label, href }) => linkTo(href, label)).join(' · '));
