import * as v from 'valibot';
import { text } from './fields.ts';
import { readsAsAddress } from './reads-as-address.ts';

/** What people call themselves and their keys. Others may read it, so it can neither hide anything nor lead anywhere. */
export const name = v.pipe(
  text(64),
  v.check(isPlain, 'must not have control, invisible or direction characters'),
  v.check(isVisible, 'must have a visible character'),
  v.check((value) => !readsAsAddress(value), 'must not read as a link or an e-mail address'),
  v.description('Visible characters only, and nothing that reads as a link or an e-mail address.'),
);

/** Whether the rule of names allows it: one that was stored before there was a rule may break it. */
export function isName(value: string): boolean {
  return v.is(name, value);
}

/** Characters that nobody sees, or that move others about, or that have a meaning in one program only. */
const hidden = String.raw`[\p{Cc}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\uFFF9-\uFFFB]`;

/** Those of them that writing needs where they stand. */
const needed = [
  // Joiners after letters of scripts that join, as in Persian and Indic names.
  String.raw`(?<=(?![\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Inherited}])[\p{L}\p{M}])[\u200C\u200D]`,
  // The parts of one emoji, and whether it is coloured.
  String.raw`(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]\uFE0F?)\u200D(?=\p{Extended_Pictographic})`,
  String.raw`(?<=\p{Extended_Pictographic})[\uFE0E\uFE0F]`,
  // Forms of one Han or Mongolian character: people insist on theirs.
  String.raw`(?<=\p{sc=Han})[\uFE00-\uFE0F\u{E0100}-\u{E01EF}]`,
  String.raw`(?<=\p{sc=Mongolian})[\u180B-\u180D\u180F]`,
].join('|');

const neededOrHidden = new RegExp(`(?<needed>${needed})|${hidden}`, 'gu');

/** The text on one line, without characters that a name must not have; it may still read as an address, or be empty. */
export function withoutHidden(value: string): string {
  return value
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .replaceAll(neededOrHidden, '$<needed>')
    .trim();
}

function isPlain(value: string): boolean {
  return value.replaceAll(neededOrHidden, '$<needed>') === value;
}

/** The blank of Braille is a symbol that nobody sees. */
function isVisible(value: string): boolean {
  return /(?!\u2800)[\p{L}\p{N}\p{P}\p{S}]/u.test(value);
}
