import type { ServerResponse } from 'node:http';
import { offer } from '#contract/offer/current-offer.ts';
import { escapeHtml } from '#contract/shared/html.ts';
import { type CardEntry, cardByNumber, testCards } from '../objects/cards.ts';

export interface Shown {
  readonly title: string;
  readonly body: string;
  /** Origin to which a form of the page finally redirects. */
  readonly leadsTo?: string | undefined;
  readonly status?: number;
}

/** A page without scripts that loads nothing. Forms may only lead to this server and to `leadsTo`. */
export function sendShown(response: ServerResponse, { title, body, leadsTo, status = 200 }: Shown): void {
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<p class="mode"><strong>Test mode</strong> No real card is charged.</p>
<p class="seller">${escapeHtml(offer.product.name)}</p>
${body}
</body>
</html>
`;
  const bytes = Buffer.from(html);
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-length': bytes.length,
    'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'self' ${leadsTo ?? ''}; frame-ancestors 'none'; base-uri 'none'`,
    'cache-control': 'no-store',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
  });
  response.end(bytes);
}

export function redirect(response: ServerResponse, location: string): void {
  response.writeHead(303, { location, 'cache-control': 'no-store', 'referrer-policy': 'same-origin' });
  response.end();
}

export const message = (title: string, text: string, link?: { href: string; label: string }, status = 200): Shown => ({
  title,
  status,
  body: `<main class="single"><section class="card notice"><h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p>${
    link ? `<p><a class="button" href="${escapeHtml(link.href)}">${escapeHtml(link.label)}</a></p>` : ''
  }</section></main>`,
});

const dates = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' });
export const dateOf = (seconds: number): string => dates.format(new Date(1000 * seconds));

/** The origin of a URL, for the content security policy. */
export const originOf = (url: string | null): string | undefined =>
  url !== null && URL.canParse(url) ? new URL(url).origin : undefined;

const style = `
:root { --ink: #1a1b25; --dim: #5b6070; --line: #d9dce3; --page: #f6f8fa; --card: #fff; --accent: #4f46c8; --on: #fff; --bad: #b3173b; --bad-bg: #fdf0f3; --good: #0a7a4c; --mode: #ffe1a8; --mode-ink: #5a3c00; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #eceef4; --dim: #a9afbf; --line: #3a3f4d; --page: #14161c; --card: #1d2028; --accent: #a5a0ff; --on: #16142e; --bad: #ff9db1; --bad-bg: #3a1a24; --good: #62d9a2; --mode: #4a3710; --mode-ink: #ffe1a8; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
.seller { max-width: 60rem; margin: 1rem auto 0; padding: 0 1.5rem; font-weight: 600; }
.mode { margin: 0; padding: .4rem 1rem; background: var(--mode); color: var(--mode-ink); text-align: center; font-size: .9rem; }
main { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 2rem; max-width: 60rem; margin: 0 auto; padding: 2rem 1rem 4rem; align-items: start; }
main.single { grid-template-columns: minmax(0, 40rem); justify-content: center; }
h1 { margin: 0 0 .25rem; font-size: 1.25rem; line-height: 1.3; overflow-wrap: anywhere; }
h2 { margin: 0 0 1rem; font-size: 1.05rem; }
p { margin: 0 0 .75rem; }
a { color: var(--accent); }
.dim { color: var(--dim); }
.back { display: inline-block; margin-bottom: 1.25rem; }
.total { margin: 0 0 1.5rem; font-size: 2.2rem; font-weight: 700; letter-spacing: -.02em; font-variant-numeric: tabular-nums; }
.total small { font-size: 1rem; font-weight: 400; letter-spacing: 0; color: var(--dim); }
.lines { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
.lines th, .lines td { padding: .6rem 0; border-bottom: 1px solid var(--line); text-align: left; font-weight: 400; vertical-align: top; overflow-wrap: anywhere; }
.lines td:last-child, .lines th:last-child { padding-left: 1rem; text-align: right; white-space: nowrap; }
.lines tfoot th, .lines tfoot td { border: 0; font-weight: 700; }
.card { padding: 1.5rem; border: 1px solid var(--line); border-radius: .9rem; background: var(--card); }
.card + .card { margin-top: 1rem; }
.card > :last-child { margin-bottom: 0; }
.notice { text-align: center; }
.field { margin-bottom: 1rem; }
.row { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; }
label { display: block; margin-bottom: .3rem; font-size: .9rem; font-weight: 600; }
.check { display: flex; gap: .6rem; align-items: flex-start; margin-bottom: 1rem; font-weight: 400; }
.check input { width: 1.15rem; height: 1.15rem; margin: .15rem 0 0; flex: none; accent-color: var(--accent); }
input[type=text], input[type=email] { width: 100%; padding: .65rem .75rem; border: 1px solid #868d9c; border-radius: .5rem; background: var(--card); color: inherit; font: inherit; }
input[aria-invalid=true] { border-color: var(--bad); box-shadow: 0 0 0 1px var(--bad); }
.error { margin: .35rem 0 0; color: var(--bad); font-size: .9rem; }
.alert { margin: 0 0 1rem; padding: .7rem .9rem; border: 1px solid var(--bad); border-radius: .5rem; background: var(--bad-bg); color: var(--bad); }
button, .button { display: inline-block; padding: .7rem 1.2rem; border: 0; border-radius: .5rem; background: var(--accent); color: var(--on); font: inherit; font-weight: 600; text-decoration: none; cursor: pointer; }
button.wide { width: 100%; }
button.plain { padding: .45rem .8rem; border: 1px solid var(--line); background: transparent; color: inherit; font-weight: 500; }
button:hover, .button:hover { filter: brightness(1.07); }
a:focus-visible, button:focus-visible, input:focus-visible, summary:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.tests { margin: 1.25rem 0 0; font-size: .9rem; }
.tests summary { cursor: pointer; font-weight: 600; }
.tests ul { margin: .6rem 0 0; padding: 0; list-style: none; }
.tests li { border-top: 1px solid var(--line); }
.tests a { display: flex; flex-wrap: wrap; gap: 0 1rem; justify-content: space-between; padding: .45rem 0; color: inherit; text-decoration: none; }
.tests a:hover span:last-child { text-decoration: underline; }
.tests span:first-child { font-variant-numeric: tabular-nums; white-space: nowrap; }
.tests span:last-child { color: var(--accent); }
.items { margin: 0; padding: 0; list-style: none; }
.items li { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; padding: .7rem 0; border-top: 1px solid var(--line); }
.items li > :first-child { flex: 1 1 10rem; }
.items form { display: inline; }
.good { color: var(--good); font-weight: 600; }
@media (max-width: 30rem) { .tests a { flex-direction: column; } }
@media (max-width: 46rem) { main { grid-template-columns: minmax(0, 1fr); padding-top: 1.25rem; gap: 1.25rem; } .card { padding: 1.1rem; } }
`;

/** Fields of a posted form. */
export type Fields = Readonly<Partial<Record<string, string>>>;

export interface CardFormOptions {
  readonly action: string;
  readonly submit: string;
  /** Values entered before. */
  readonly fields: Fields;
  readonly errors: Fields;
  readonly asksEmail?: boolean;
  /** Label of the box that saves the card, if it is offered. */
  readonly saveLabel?: string | undefined;
  /** Text of the terms that the buyer must accept. */
  readonly terms?: string | undefined;
  readonly note?: string | undefined;
}

/** A form for a card, with the test cards that fill it. */
export function cardForm(options: CardFormOptions): string {
  const { action, submit, fields, errors, asksEmail = false, saveLabel, terms, note } = options;
  const input = (name: string, label: string, attributes: string, type = 'text'): string => {
    const error = errors[name];
    const described = error === undefined ? '' : ` aria-invalid="true" aria-describedby="${name}-error"`;
    return `<div class="field"><label for="${name}">${label}</label>
<input type="${type}" id="${name}" name="${name}" value="${escapeHtml(fields[name] ?? '')}" ${attributes}${described}>
${error === undefined ? '' : `<p class="error" id="${name}-error">${escapeHtml(error)}</p>`}</div>`;
  };
  const box = (name: string, label: string): string => {
    const error = errors[name];
    return `<label class="check"><input type="checkbox" name="${name}" value="yes"${fields[name] === 'yes' ? ' checked' : ''}${error === undefined ? '' : ' aria-invalid="true"'}><span>${escapeHtml(label)}${error === undefined ? '' : ` <span class="error">${escapeHtml(error)}</span>`}</span></label>`;
  };
  return `${errors['form'] === undefined ? '' : `<p class="alert" role="alert">${escapeHtml(errors['form'])}</p>`}
<form method="post" action="${escapeHtml(action)}" novalidate>
<input type="hidden" name="do" value="pay">
${asksEmail ? input('email', 'Email', 'autocomplete="email"', 'email') : ''}
${input('number', 'Card number', 'inputmode="numeric" autocomplete="cc-number" placeholder="1234 1234 1234 1234" maxlength="23"')}
<div class="row">${input('expiry', 'Expiry', 'inputmode="numeric" autocomplete="cc-exp" placeholder="MM / YY" maxlength="7"')}
${input('cvc', 'CVC', 'inputmode="numeric" autocomplete="cc-csc" placeholder="CVC" maxlength="4"')}</div>
${input('name', 'Name on card', 'autocomplete="cc-name" maxlength="200"')}
${saveLabel === undefined ? '' : box('save', saveLabel)}
${terms === undefined ? '' : box('terms', terms)}
<button class="wide" type="submit">${escapeHtml(submit)}</button>
</form>
${note === undefined ? '' : `<p class="dim" style="margin:.9rem 0 0">${escapeHtml(note)}</p>`}
${testCardLinks(action, Object.values(errors).length > 0 || fields['number'] === undefined)}`;
}

function testCardLinks(action: string, isOpen: boolean): string {
  const links = testCards.map(
    ({ number, label }) =>
      `<li><a href="${escapeHtml(action)}?card=${number}"><span>${grouped(number)}</span><span>${escapeHtml(label)}</span></a></li>`,
  );
  return `<details class="tests"${isOpen ? ' open' : ''}><summary>Test cards</summary><ul>${links.join('')}</ul></details>`;
}

const grouped = (number: string): string => number.replaceAll(/(\d{4})(?=\d)/g, '$1 ');

/** Fields filled by the link of a test card. */
export function filledFields(query: URLSearchParams, seconds: number, name: string | null): Fields {
  const card = cardByNumber(query.get('card') ?? '');
  if (!card) return name === null ? {} : { name };
  const year = String(new Date(1000 * seconds).getUTCFullYear() + 3).slice(-2);
  return { number: grouped(card.number), expiry: `12 / ${year}`, cvc: '123', name: name ?? 'Jenny Rosen' };
}

/** The entered card, or the error of each field. */
export function readCard(fields: Fields, seconds: number): CardEntry | { readonly errors: Fields } {
  const number = (fields['number'] ?? '').replaceAll(/[\s-]/g, '');
  const [, month = '', year = ''] = /^\s*(\d{1,2})\s*\/?\s*(\d{2}|\d{4})\s*$/.exec(fields['expiry'] ?? '') ?? [];
  const [expMonth, expYear] = [Number(month), Number(year.length === 2 ? `20${year}` : year)];
  const name = (fields['name'] ?? '').trim();
  const problems = Object.entries({
    number: numberError(number),
    expiry: expiryError(expMonth, expYear, seconds),
    cvc: /^\d{3,4}$/.test(fields['cvc'] ?? '') ? undefined : 'Enter the 3 or 4 digits of the security code.',
    name: name === '' ? 'Enter the name on the card.' : undefined,
  }).filter(([, problem]) => problem !== undefined);
  if (problems.length > 0) return { errors: Object.fromEntries(problems) };
  return { number, expMonth, expYear, name, email: (fields['email'] ?? '').trim() || null };
}

function numberError(number: string): string | undefined {
  if (number === '') return 'Enter a card number.';
  if (!/^\d{12,19}$/.test(number)) return 'The card number is incomplete.';
  if (!isLuhn(number)) return 'The card number is invalid.';
  return cardByNumber(number) ? undefined : 'Only test cards work here. Choose one of the list below.';
}

function expiryError(month: number, year: number, seconds: number): string | undefined {
  if (month < 1 || month > 12) return 'Enter the expiry date as MM / YY.';
  const isPast = Date.UTC(year, month, 1) <= 1000 * seconds;
  return isPast ? 'This card has expired.' : undefined;
}

function isLuhn(number: string): boolean {
  const sum = number
    .split('')
    .toReversed()
    .reduce((total, digit, index) => {
      const doubled = Number(digit) * (index % 2 === 0 ? 1 : 2);
      return total + (doubled > 9 ? doubled - 9 : doubled);
    }, 0);
  return sum % 10 === 0;
}

/** The authentication step of the bank. */
export const authenticationForm = (action: string, what: string): string => `<section class="card">
<h2>Confirm with your bank</h2>
<p>The test bank wants you to confirm ${escapeHtml(what)}.</p>
<form method="post" action="${escapeHtml(action)}">
<p><button class="wide" name="do" value="authenticate">Complete authentication</button></p>
<p><button class="wide plain" name="do" value="fail">Fail authentication</button></p>
</form></section>`;
