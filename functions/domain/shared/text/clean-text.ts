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
