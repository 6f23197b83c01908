import type { Span } from '../span.ts';

/** Characters of an account's number with its country and check digits (ISO 13616). */
const [minLength, maxLength] = [15, 34];

const grouped = /(?<![\p{L}\p{N}])[a-z]{2}\d{2}(?:[ \u00a0-]?[a-z\d]{1,4}){3,30}/giu;

/** Account numbers, in groups of four or not, whose check digits are right. */
export function* ibans(text: string): Generator<Span> {
  grouped.lastIndex = 0;
  for (let found = grouped.exec(text); found; found = grouped.exec(text)) {
    const { 0: run, index } = found;
    const length = matchedLength(run, text.slice(index + run.length, index + run.length + 1));
    // What follows may begin within a run that is none.
    grouped.lastIndex = index + (length ?? 4);
    if (length !== undefined) yield { start: index, end: index + length };
  }
}

/** UTF-16 units of the longest beginning that is one and ends where a word does. */
function matchedLength(run: string, after: string): number | undefined {
  let longest: number | undefined;
  let [characters, wordAt] = ['', 0];
  for (let at = 0; at < run.length && characters.length < maxLength; at += 1) {
    const character = run[at] ?? '';
    if (!isAlphanumeric(character)) {
      // Groups are of four, but for the last.
      if (at - wordAt !== 4) break;
      wordAt = at + 1;
      continue;
    }
    characters += character;
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
