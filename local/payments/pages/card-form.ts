import { escapeHtml } from '#contract/shared/html.ts';
import { type CardEntry, cardByNumber, testCards } from '../objects/cards.ts';

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
