/** U+FFFD, which stands for a character that cannot be represented (Unicode 23.8). */
const replacement = '\ufffd';

const isClean = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

/** The text with U+FFFD in place of NUL and of lone surrogates, which databases, JSON parsers and UTF-8 decoders refuse. */
export function cleanText(text: string): string {
  return isClean(text) ? text : text.toWellFormed().replaceAll('\0', replacement);
}

/** The same for a text in pieces: a surrogate pair that is cut between two pieces is delivered whole with the second. */
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

  /** The held half of a pair whose other half has not come. */
  rest(): string {
    const text = cleanText(this.#held);
    this.#held = '';
    return text;
  }
}

/** How many Unicode code points a text has; half of a pair is one. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/**
 * Where the string of a JSON text that begins at `start`, after its quote, is closed: at the first quote with no backslashes
 * before it, or an even number; -1 when there is none.
 */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start); ; end = text.indexOf('"', end + 1)) {
    let before = end;
    while (text[before - 1] === '\\') before -= 1;
    if ((end - before) % 2 === 0) return end;
  }
}

/**
 * Of each UTF-16 unit a number other than 0, which is found out when a text first has the unit: an expression that names kinds of
 * characters takes many times as long for each character of a text. Halves of characters are units too.
 */
export class UnitTable {
  /** Empty until there is one: a function has several tables, of 128 KB, and most starts need none. */
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

  /** The numbers of all units of a text, one or another: each a bit. */
  anyOf(text: string): number {
    let all = 0;
    for (let at = 0; at < text.length; at += 1) all |= this.of(text.charCodeAt(at));
    return all;
  }
}
