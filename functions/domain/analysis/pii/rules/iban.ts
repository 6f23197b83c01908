import type { Span } from '../../quotes/span.ts';
import { separator } from '../text/numbers.ts';

/** Characters of an account's number with its country and check digits (ISO 13616). */
const [minLength, maxLength] = [15, 34];

/** Also right behind the word for it. What is before it is looked at only where it may begin. */
const candidate = new RegExp(
  String.raw`(?=[a-z]{2}${separator}{0,3}\d)(?:(?<![\p{L}\p{N}])|(?<=IBAN))[a-z]{2}${separator}{0,3}\d{2}(?:${separator}{0,3}[a-z\d]){${minLength - 4},${maxLength - 4}}`,
  'giu',
);

/** Account numbers, in groups or not, whose check digits are right. */
export function* ibans(text: string): Generator<Span> {
  candidate.lastIndex = 0;
  for (let found = candidate.exec(text); found; found = candidate.exec(text)) {
    const { 0: run, index } = found;
    const length = matchedLength(run, text.slice(index + run.length, index + run.length + 1));
    // What follows may begin within a run that is none.
    candidate.lastIndex = index + (length ?? 2);
    if (length !== undefined) yield { start: index, end: index + length };
  }
}

/** UTF-16 units of the longest beginning that is one and ends where a word does. */
function matchedLength(run: string, after: string): number | undefined {
  let longest: number | undefined;
  let [characters, group] = ['', ''];
  for (let at = 0; at < run.length && characters.length < maxLength; at += 1) {
    const character = run[at] ?? '';
    if (!isAlphanumeric(character)) {
      // Groups with letters are of four, but for the country and the last: else the words behind a number would be groups.
      if (/\D/.test(group) && group.length !== 4 && characters.length > 2) break;
      group = '';
      continue;
    }
    characters += character;
    group += character;
    if (characters.length < minLength || isAlphanumeric(run[at + 1] ?? after)) continue;
    if (hasCheckDigits(characters.toUpperCase())) longest = at + 1;
  }
  return longest;
}

const isAlphanumeric = (character: string): boolean => /[\p{L}\p{N}]/u.test(character);

/** ISO 7064, MOD 97-10: the first four go to the end, letters count from 10. */
function hasCheckDigits(account: string): boolean {
  let remainder = 0;
  for (const character of account.slice(4) + account.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder === 1;
}
