import { UnitTable } from '../shared/text.ts';
import type { Span } from './quotes.ts';

/** A transformed text that maps each UTF-16 unit to its position in the original. */
export interface Placed {
  readonly text: string;
  /** Returns the first unit of `text` whose source is at or after `place` in the original. */
  unitAt(place: number): number;
  spanOf(span: Span): Span;
}

const inPlace = (text: string): Placed => ({ text, unitAt: (place) => place, spanOf: (span) => span });

/** Built from pieces. Read only after the last piece was added. */
class PlacedText implements Placed {
  #units: Uint16Array<ArrayBuffer>;
  #starts: Uint32Array<ArrayBuffer>;
  #ends: Uint32Array<ArrayBuffer>;
  #length = 0;
  #text: string | undefined;

  constructor(expected: number) {
    this.#units = new Uint16Array(expected);
    this.#starts = new Uint32Array(expected);
    this.#ends = new Uint32Array(expected);
  }

  get text(): string {
    return (this.#text ??= Buffer.from(this.#units.buffer, 0, 2 * this.#length).toString('utf16le'));
  }

  /** Adds the replacement of the original from `start` to `end`, all of whose units map to the whole range. */
  add(piece: string, start: number, end: number): void {
    for (let unit = 0; unit < piece.length; unit += 1) this.addUnit(piece.charCodeAt(unit), start, end);
  }

  addEach(piece: string, start: number): void {
    for (let unit = 0; unit < piece.length; unit += 1)
      this.addUnit(piece.charCodeAt(unit), start + unit, start + unit + 1);
  }

  addUnit(code: number, start: number, end: number): void {
    if (this.#length === this.#units.length) this.#grow();
    this.#units[this.#length] = code;
    this.#starts[this.#length] = start;
    this.#ends[this.#length] = end;
    this.#length += 1;
  }

  #grow(): void {
    const size = 2 * this.#length + 16;
    const [units, starts, ends] = [new Uint16Array(size), new Uint32Array(size), new Uint32Array(size)];
    units.set(this.#units);
    starts.set(this.#starts);
    ends.set(this.#ends);
    [this.#units, this.#starts, this.#ends] = [units, starts, ends];
  }

  unitAt(place: number): number {
    let [from, to] = [0, this.#length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.#starts[middle] ?? 0) < place) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  spanOf({ start, end }: Span): Span {
    return { start: this.#starts[start] ?? 0, end: this.#ends[end - 1] ?? 0 };
  }
}

const ignored = String.raw`[\p{Cf}\p{Default_Ignorable_Code_Point}]`;

/** Limits combining marks to 30 per letter (UAX 15, section 13), so that normalization runs in bounded time. */
const marks = String.raw`\p{M}{0,30}`;

const pieces = new RegExp(
  String.raw`(?<ignored>${ignored}+)|(?<space>[\s\p{Z}\p{Cc}](?:[\s\p{Z}\p{Cc}]|${ignored})*)|[^]${marks}`,
  'uy',
);

const apostrophes = /[`´‘’‚‛′‵ʹʻʼʽˈ＇]/gu;
const hyphens = /[\p{Pd}\u2212]/gu;

/** Normalizes a text for name comparison: NFKD, case-folded, without invisible characters. */
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

/** Classes of units that do not map to a single unit. No letter folds to these control characters. */
const [space, several, joining] = [1, 2, 3];
const spaces = /[\s\p{Z}\p{Cc}]/u;
const joiners = new RegExp(String.raw`${ignored}|[\p{M}\p{Cs}]`, 'u');

const foldedUnit = new UnitTable(foldClass);

const foldedAt = (text: string, at: number): number =>
  at < text.length ? foldedUnit.of(text.charCodeAt(at)) : several;

function foldClass(unit: string): number {
  if (joiners.test(unit)) return joining;
  if (spaces.test(unit)) return space;
  const fold = foldedLetter(unit);
  return fold.length === 1 ? fold.charCodeAt(0) : several;
}

/** Fast path for ASCII, five times as fast. */
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

/** Upper-cases first, which maps variants to one form: "ß" and "SS", both sigmas. */
const foldedLetter = (letter: string): string =>
  letter
    .replaceAll(apostrophes, "'")
    .replaceAll(hyphens, '-')
    .normalize('NFKD')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toUpperCase()
    .toLowerCase()
    .replaceAll('i\u0307', 'i');

const formats = /\p{Cf}/u;
const wide = /[\uff0b\uff0d-\uff1a\uff20-\uff3a\uff3f\uff41-\uff5a\ufe52\ufe6b]/;

/** Full-width forms in addresses and numbers, except commas and stops, which end sentences. */
const piece =
  /(?<format>\p{Cf}+)|[\uff0b\uff0d-\uff1a\uff20-\uff3a\uff3f\uff41-\uff5a\ufe52\ufe6b]|[^\p{Cf}\uff0b\uff0d-\uff1a\uff20-\uff3a\uff3f\uff41-\uff5a\ufe52\ufe6b]+/gu;

/** Flags of UTF-16 units: their effect on the text. Surrogates may form format characters. */
const [asItIs, replaced, hidden, half] = [1, 2, 4, 8];
const traits = new UnitTable((unit) => {
  if (/\p{Cs}/u.test(unit)) return half;
  return formats.test(unit) ? hidden : wide.test(unit) ? replaced : asItIs;
});

/** Returns the text without invisible characters and, if it has any, again with spaces instead. */
export function plainTexts(text: string): Placed[] {
  if (isAscii(text)) return [inPlace(text)];
  const all = traits.anyOf(text);
  if (all & hidden || (all & half && formats.test(text))) return [plain(text, ''), plain(text, ' ')];
  return all & replaced ? [plain(text, '')] : [inPlace(text)];
}

function plain(text: string, format: string): Placed {
  const result = new PlacedText(text.length);
  for (const { 0: found, index, groups } of text.matchAll(piece)) {
    if (groups?.['format'] !== undefined) result.add(format, index, index + found.length);
    else result.addEach(/^[\ufe52\ufe6b\uff0b-\uff5a]$/u.test(found) ? found.normalize('NFKC') : found, index);
  }
  return result;
}

export const separator = String.raw`[\s\u2010-\u2015\u2212\u00b7\u2022\u2027./\-]`;

export interface DigitGroup {
  readonly start: number;
  readonly end: number;
  readonly digits: string;
}

const asciiDigits = (text: string): string =>
  /^\d+$/.test(text) ? text : text.normalize('NFKC').replaceAll(/(?!\d)\p{Nd}/gu, (digit) => String(digitValue(digit)));

/** Unicode orders the ten digits of each script by value, starting with zero. */
function digitValue(digit: string): number {
  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (code - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return code - zero;
}

const [none, some] = [1, 2];
const otherDigits = new UnitTable((unit) => (/(?!\d)[\p{Nd}\p{Cs}]/u.test(unit) ? some : none));

export const mayHaveOtherDigits = (text: string): boolean => !isAscii(text) && otherDigits.anyOf(text) !== none;

export function groupsIn(run: string, at: number, max: number): DigitGroup[] {
  const groups: DigitGroup[] = [];
  for (const { 0: found, index } of run.matchAll(/\p{Nd}+/gu)) {
    if (groups.length === max) break;
    groups.push({ start: at + index, end: at + index + found.length, digits: asciiDigits(found) });
  }
  return groups;
}

const isAscii = (text: string): boolean => !/[^\0-\x7f]/.test(text);
