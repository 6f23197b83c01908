import * as v from 'valibot';
import { isVisible, text } from '../shared/fields.ts';
import { addressIn, explicitAddressIn } from './reads-as-address.ts';

/** Other people may read it, so it must not contain hidden characters. */
const plainText = v.pipe(
  text(64),
  v.check(
    (value) => hiddenIn(value) === undefined,
    ({ input }) => hiddenMessage(input),
  ),
  v.check(isVisible, 'must have a visible character'),
);

const noAddress = (partOf: (value: string) => string | undefined) =>
  v.check<string, (issue: { input: string }) => string>(
    (value) => partOf(value) === undefined,
    ({ input }) => addressMessage(partOf(input) ?? ''),
  );

/** Name of a person. Emails to other people may contain it, so it must not contain a link. */
export const personName = v.pipe(
  plainText,
  noAddress(addressIn),
  v.description('Visible characters only, without links, email addresses or names in one of the common domains.'),
);

/** Name of a key. Emails never contain it. */
export const keyName = v.pipe(
  plainText,
  noAddress(explicitAddressIn),
  v.description('Visible characters only, without email addresses and links with `://` or `www.`.'),
);

/** Returns whether a stored name satisfies the current rule for names of people. Older names may not. */
export function isName(value: string): boolean {
  return v.is(personName, value);
}

/** Characters that are invisible, change the text direction, or are private to one program. */
const hidden = String.raw`[\p{Cc}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\uFFF9-\uFFFB]`;

/** Exceptions: sequences that writing systems need. */
const needed = [
  // Joiners after letters of joining scripts, as in Persian and Indic names.
  String.raw`(?<=(?![\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Inherited}])[\p{L}\p{M}])[\u200C\u200D]`,
  // Parts of one emoji, and its text or emoji presentation.
  String.raw`(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]\uFE0F?)\u200D(?=\p{Extended_Pictographic})`,
  String.raw`(?<=\p{Extended_Pictographic})[\uFE0E\uFE0F]`,
  // Keycaps, and flags of subdivisions.
  String.raw`(?<=[0-9#*])\uFE0F(?=\u20E3)`,
  String.raw`(?<=\u{1F3F4})[\u{E0030}-\u{E0039}\u{E0061}-\u{E007A}]{4,6}\u{E007F}`,
  // Variants of a Han or Mongolian character, which names use.
  String.raw`(?<=\p{sc=Han})[\uFE00-\uFE0F\u{E0100}-\u{E01EF}]`,
  String.raw`(?<=\p{sc=Mongolian})[\u180B-\u180D\u180F]`,
  String.raw`(?<=(?!\u180E)\p{sc=Mongolian}[\u180B-\u180D\u180F]?)\u180E(?=(?!\u180E)\p{sc=Mongolian})`,
].join('|');

/** Created on use, because compiling takes milliseconds that a cold start can save. V8 caches the result. */
const neededOrHidden = (): RegExp => new RegExp(`(?<needed>${needed})|${hidden}`, 'gu');

/**
 * Returns the text on one line without disallowed characters. The result may be empty, or still look like an address.
 */
export function withoutHidden(value: string): string {
  return value
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .replaceAll(neededOrHidden(), '$<needed>')
    .trim();
}

function hiddenIn(value: string): string | undefined {
  for (const { 0: found, groups } of value.matchAll(neededOrHidden())) {
    if (groups?.['needed'] === undefined) return found;
  }
  return undefined;
}

function hiddenMessage(value: string): string {
  const found = hiddenIn(value) ?? '';
  return `contains ${kindOf(found)} (${codePoint(found)})`;
}

function addressMessage(part: string): string {
  const advice = /[/:?@]/.test(part) ? '' : '; put a space after the dot';
  return `must not look like a link or an address ("${part}")${advice}`;
}

function kindOf(character: string): string {
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(character)) return 'a control character';
  if (/\p{Bidi_Control}/u.test(character)) return 'a direction character';
  return /\p{Co}|\p{Noncharacter_Code_Point}/u.test(character)
    ? 'a character without a meaning'
    : 'an invisible character';
}

function codePoint(character: string): string {
  return `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`;
}
