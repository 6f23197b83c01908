/** Replacement character (Unicode 23.8). */
const replacement = '\ufffd';

const isClean = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

/** Replaces NUL and lone surrogates, which databases, JSON parsers and UTF-8 decoders reject, with U+FFFD. */
export function cleanText(text: string): string {
  return isClean(text) ? text : text.toWellFormed().replaceAll('\0', replacement);
}

/** Cleans a text in pieces. A surrogate pair split between two pieces is emitted with the second. */
export class TextCleaner {
  #held = '';

  push(piece: string): string {
    if (this.#held === '' && isClean(piece)) return piece;
    const text = this.#held + piece;
    const last = text.charCodeAt(text.length - 1);
    const isCut = last >= 0xd800 && last <= 0xdbff;
    this.#held = isCut ? text.slice(-1) : '';
    return cleanText(isCut ? text.slice(0, -1) : text);
  }

  rest(): string {
    const text = cleanText(this.#held);
    this.#held = '';
    return text;
  }
}

/** Counts Unicode code points. A lone surrogate counts as one. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Returns the index of the quote that closes the JSON string starting at `start`, or -1. */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start); ; end = text.indexOf('"', end + 1)) {
    let before = end;
    while (text[before - 1] === '\\') before -= 1;
    if ((end - before) % 2 === 0) return end;
  }
}

/** Long strings of a JSON document, each with its literal there. */
export type JsonLiterals = ReadonlyMap<string, string>;

/** UTF-16 units. Shorter strings cost less to serialize than to look up. */
export const minLiteralUnits = 16_384;

/** Caches a number for each UTF-16 unit: Unicode property escapes are many times slower. 0 means unknown. */
export class UnitTable {
  /** Allocated on first use: each table takes 128 KB, and most processes need none. */
  #numbers = new Uint16Array(0);
  readonly #numberOf: (unit: string) => number;

  constructor(numberOf: (unit: string) => number) {
    this.#numberOf = numberOf;
  }

  of(code: number): number {
    return this.#numbers[code] || this.#learn(code);
  }

  #learn(code: number): number {
    if (this.#numbers.length === 0) this.#numbers = new Uint16Array(0x1_00_00);
    const number = this.#numberOf(String.fromCharCode(code));
    this.#numbers[code] = number;
    return number;
  }

  anyOf(text: string): number {
    let all = 0;
    for (let at = 0; at < text.length; at += 1) all |= this.of(text.charCodeAt(at));
    return all;
  }
}
