import type { Span } from '../../quotes/span.ts';
import { groupsIn, mayHaveOtherDigits, separator } from '../text/numbers.ts';

/** Whether there may be a number: `+`, the code of a country, and as many ASCII digits as its numbers have. */
export type IsPhoneNumber = (international: string) => boolean;

/** Digits (E.164), with the code of the country. */
const [minDigits, maxDigits] = [7, 15];

const international = new RegExp(
  String.raw`(?:[+＋]|(?<!\p{Nd}[ -]?)00(?=[^\P{Nd}0]))(?:\p{Nd}|[()]|${separator}){6,64}`,
  'gu',
);

/** Whether a text has anything that `phones` would look at. */
export const mayHavePhones = (text: string): boolean =>
  /[+＋]|\d{2}/.test(text) || (mayHaveOtherDigits(text) && /\p{Nd}{2}/u.test(text));

/** Phone numbers with the code of their country, after `+` or `00`: those without depend on where they are called from. */
export function* phones(text: string, isPhoneNumber: IsPhoneNumber): Generator<Span> {
  international.lastIndex = 0;
  for (let found = international.exec(text); found; found = international.exec(text)) {
    const { 0: run, index } = found;
    const prefix = run.startsWith('00') ? 2 : 1;
    const end = endOfNumber(run.slice(prefix), index + prefix, text, isPhoneNumber);
    international.lastIndex = end ?? index + prefix;
    if (end !== undefined) yield { start: index, end };
  }
}

/** Where the longest number ends whose last digit is followed by no other; undefined where there is none. */
function endOfNumber(run: string, at: number, text: string, isPhoneNumber: IsPhoneNumber): number | undefined {
  let digits = '';
  const ends: [end: number, digits: string][] = [];
  for (const group of groupsIn(run, at, maxDigits)) {
    digits += group.digits;
    if (digits.length > maxDigits) break;
    const next = text.slice(group.end, group.end + 2);
    if (digits.length >= minDigits && !/^\p{Nd}/u.test(next)) ends.push([group.end, digits]);
  }
  return ends.findLast(([, candidate]) => isPhoneNumber(`+${candidate}`))?.[0];
}
