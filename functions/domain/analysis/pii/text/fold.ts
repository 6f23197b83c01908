import { UnitTable } from '../../../shared/text/unit-table.ts';
import { isAscii } from './ascii.ts';
import { inPlace, type Placed, PlacedText } from './placed-text.ts';

/** Characters that show nothing: soft hyphens, joiners, marks of direction. */
const ignored = String.raw`[\p{Cf}\p{Default_Ignorable_Code_Point}]`;

/** Marks of one letter, which Unicode keeps to 30 where texts are streamed (UAX 15, section 13), so that they are put in order in bounded time. */
const marks = String.raw`\p{M}{0,30}`;

const pieces = new RegExp(
  String.raw`(?<ignored>${ignored}+)|(?<space>[\s\p{Z}\p{Cc}](?:[\s\p{Z}\p{Cc}]|${ignored})*)|[^]${marks}`,
  'uy',
);

const apostrophes = /[`´‘’‚‛′‵ʹʻʼʽˈ＇]/gu;
const hyphens = /[\p{Pd}\u2212]/gu;

/**
 * A text as names are compared: in one form of Unicode (NFKD), without case and without what shows nothing, runs of white space as one space,
 * apostrophes and hyphens of one kind.
 */
export function folded(text: string): Placed {
  if (isAscii(text)) return foldedAscii(text);
  const result = new PlacedText(text.length + 16);
  const known = new Map<string, string>();
  let fold = foldedAt(text, 0);
  for (let at = 0; at < text.length;) {
    const next = foldedAt(text, at + 1);
    if (next === joining || fold === joining || (fold === space && next === space)) {
      at = addPiece(text, at, result, known);
      fold = foldedAt(text, at);
      continue;
    }
    if (fold === several) result.add(foldOf(text.charAt(at), known), at, at + 1);
    else result.addUnit(fold === space ? 0x20 : fold, at, at + 1);
    at += 1;
    fold = next;
  }
  return result;
}

/** Adds the piece that begins at `at`, and returns where it ends. */
function addPiece(text: string, at: number, result: PlacedText, known: Map<string, string>): number {
  pieces.lastIndex = at;
  const { 0: piece = '', groups } = pieces.exec(text) ?? {};
  const end = at + piece.length;
  if (groups?.['space'] !== undefined) result.add(' ', at, end);
  else if (groups?.['ignored'] === undefined) result.add(foldOf(piece, known), at, end);
  return end;
}

function foldOf(letter: string, known: Map<string, string>): string {
  const fold = known.get(letter) ?? foldedLetter(letter);
  known.set(letter, fold);
  return fold;
}

/** In place of what a unit becomes: white space; several units; what may be one piece with those around it. No letter becomes one of these controls. */
const [space, several, joining] = [1, 2, 3];
const spaces = /[\s\p{Z}\p{Cc}]/u;
const joiners = new RegExp(String.raw`${ignored}|[\p{M}\p{Cs}]`, 'u');

/** What each UTF-16 unit becomes that is a piece of its own. */
const foldedUnit = new UnitTable(foldClass);

/** Behind the text there is nothing that joins. */
const foldedAt = (text: string, at: number): number =>
  at < text.length ? foldedUnit.of(text.charCodeAt(at)) : several;

function foldClass(unit: string): number {
  if (joiners.test(unit)) return joining;
  if (spaces.test(unit)) return space;
  const fold = foldedLetter(unit);
  return fold.length === 1 ? fold.charCodeAt(0) : several;
}

/** The same for text of ASCII alone, in a fifth of the time. */
function foldedAscii(text: string): Placed {
  const lower = text.toLowerCase().replaceAll('`', "'");
  if (!/[\0-\x20\x7f]{2}/.test(lower)) return inPlace(lower.replaceAll(/\p{Cc}/gu, ' '));
  const result = new PlacedText(lower.length);
  const isShown = (at: number): boolean => lower.charCodeAt(at) > 0x20 && lower.charCodeAt(at) !== 0x7f;
  for (let [at, end] = [0, 0]; at < lower.length; at = end) {
    const shown = isShown(at);
    while (end < lower.length && isShown(end) === shown) end += 1;
    if (shown) result.addEach(lower.slice(at, end), at);
    else result.add(' ', at, end);
  }
  return result;
}

/** Upper case first, as it is one where lower case is several: "ß" and "SS", two sigmas. The dot of a Turkish capital goes. */
const foldedLetter = (letter: string): string =>
  letter
    .replaceAll(apostrophes, "'")
    .replaceAll(hyphens, '-')
    .normalize('NFKD')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toUpperCase()
    .toLowerCase()
    .replaceAll('i\u0307', 'i');
