import * as v from 'valibot';
import { isVisible, text } from '../shared/fields.ts';
import { addressIn, explicitAddressIn } from './reads-as-address.ts';

/** Others may read it, so that it hides nothing. */
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

/** What people call themselves. Mails to them carry it, so that it leads nowhere. */
export const personName = v.pipe(
  plainText,
  noAddress(addressIn),
  v.description('Visible characters only, without links, email addresses or names in one of the common domains.'),
);

/** What people call their keys; no mail carries it. */
export const keyName = v.pipe(
  plainText,
  noAddress(explicitAddressIn),
  v.description('Visible characters only, without email addresses and links with `://` or `www.`.'),
);

/** Whether the rule of people's names allows it: one that was stored before there was a rule may break it. */
export function isName(value: string): boolean {
  return v.is(personName, value);
}

/** Invisible characters, or that move others about, or that have a meaning in one program only. */
const hidden = String.raw`[\p{Cc}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\uFFF9-\uFFFB]`;

/** Those of them that writing needs where they stand. */
const needed = [
  // Joiners after letters of scripts that join, as in Persian and Indic names.
  String.raw`(?<=(?![\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Inherited}])[\p{L}\p{M}])[\u200C\u200D]`,
  // The parts of one emoji, and whether it is coloured.
  String.raw`(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]\uFE0F?)\u200D(?=\p{Extended_Pictographic})`,
  String.raw`(?<=\p{Extended_Pictographic})[\uFE0E\uFE0F]`,
  // Keycaps, and flags of parts of a country.
  String.raw`(?<=[0-9#*])\uFE0F(?=\u20E3)`,
  String.raw`(?<=\u{1F3F4})[\u{E0030}-\u{E0039}\u{E0061}-\u{E007A}]{4,6}\u{E007F}`,
  // Forms of one Han or Mongolian character: people insist on theirs.
  String.raw`(?<=\p{sc=Han})[\uFE00-\uFE0F\u{E0100}-\u{E01EF}]`,
  String.raw`(?<=\p{sc=Mongolian})[\u180B-\u180D\u180F]`,
  String.raw`(?<=(?!\u180E)\p{sc=Mongolian}[\u180B-\u180D\u180F]?)\u180E(?=(?!\u180E)\p{sc=Mongolian})`,
].join('|');

/** Made where it is used, as it takes milliseconds that a start does without; V8 keeps what it compiled. */
const neededOrHidden = (): RegExp => new RegExp(`(?<needed>${needed})|${hidden}`, 'gu');

/** The text on one line, without characters that a name must not have; it may still read as an address, or be empty. */
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
  return `must not read as a link or address ("${part}")${advice}`;
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
