import type { Span } from '../../quotes/span.ts';
import { groupsIn, mayHaveOtherDigits, separator } from '../text/numbers.ts';

/** Digits of a card's number (ISO/IEC 7812). */
const [minDigits, maxDigits] = [13, 19];

const runOf = (digit: string, flags: string): RegExp =>
  new RegExp(String.raw`${digit}+(?:${separator}{1,3}${digit}+)*`, flags);
const run = runOf(String.raw`\p{Nd}`, 'gu');
const runOfAscii = runOf(String.raw`\d`, 'g');

/** Numbers of cards, in groups or not, whose last digit is that of Luhn's rule. */
export function* creditCards(text: string): Generator<Span> {
  for (const { 0: found, index } of text.matchAll(mayHaveOtherDigits(text) ? run : runOfAscii)) {
    if (found.length < minDigits) continue;
    const groups = groupsIn(found, index, Number.POSITIVE_INFINITY);
    for (let first = 0; first < groups.length; first += 1) {
      let [digits, last] = ['', -1];
      for (let next = first; next < groups.length && digits.length <= maxDigits; next += 1) {
        digits += groups[next]?.digits ?? '';
        if (isCard(digits)) last = next;
      }
      if (last === -1) continue;
      yield { start: groups[first]?.start ?? 0, end: groups[last]?.end ?? 0 };
      first = last;
    }
  }
}

const isCard = (digits: string): boolean => digits.length >= minDigits && digits.length <= maxDigits && isLuhn(digits);

/** ISO/IEC 7812-1, annex B: from the right, each second digit is doubled. */
function isLuhn(digits: string): boolean {
  let sum = 0;
  for (let place = 0; place < digits.length; place += 1) {
    const digit = Number(digits[digits.length - 1 - place]);
    const doubled = digit * 2;
    sum += place % 2 === 0 ? digit : doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
