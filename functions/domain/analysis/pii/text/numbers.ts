import { UnitTable } from '../../../shared/text/unit-table.ts';
import { isAscii } from './ascii.ts';

/** Between the groups of a number: white space of any width, hyphens, a minus, dots, a slash. */
export const separator = String.raw`[\s\u2010-\u2015\u2212\u00b7\u2022\u2027./\-]`;

/** A run of digits between separators: where it stands, and its digits as ASCII has them. */
export interface DigitGroup {
  readonly start: number;
  readonly end: number;
  readonly digits: string;
}

/** Digits of any script as those of ASCII. */
const asciiDigits = (text: string): string =>
  /^\d+$/.test(text) ? text : text.normalize('NFKC').replaceAll(/(?!\d)\p{Nd}/gu, (digit) => String(digitValue(digit)));

/** Digits of a script stand in the order of their values, and Unicode begins each such ten with its zero. */
function digitValue(digit: string): number {
  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (code - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return code - zero;
}

const [none, some] = [1, 2];
const otherDigits = new UnitTable((unit) => (/(?!\d)[\p{Nd}\p{Cs}]/u.test(unit) ? some : none));

/** Whether a text may have other digits than those of ASCII. */
export const mayHaveOtherDigits = (text: string): boolean => !isAscii(text) && otherDigits.anyOf(text) !== none;

/** The groups of a run of digits and separators that begins at `at`, at most `max`. */
export function groupsIn(run: string, at: number, max: number): DigitGroup[] {
  const groups: DigitGroup[] = [];
  for (const { 0: found, index } of run.matchAll(/\p{Nd}+/gu)) {
    if (groups.length === max) break;
    groups.push({ start: at + index, end: at + index + found.length, digits: asciiDigits(found) });
  }
  return groups;
}
