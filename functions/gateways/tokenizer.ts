import type { TokenEncoding } from '#domain/shared/ports.ts';
import { UnitTable } from '#domain/shared/text.ts';
import type { Vocabulary } from './byte-pairs/trie.ts';

/** UTF-16 units. A longer run of spaces or of anything else is cut here, which bounds the cost of a word. */
const maxRunLength = 256;

/** Whitespace beyond ASCII, as in the `\s` of regular expressions. */
const wideSpaces = new Set(
  Array.from(
    '\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff',
    (space) => space.charCodeAt(0),
  ),
);

type Count = (text: string, limit: number, enough: number) => number;

let loading: Promise<Count> | undefined;

/**
 * Counts tokens of OpenAI's cl100k vocabulary. It is 1 MB of code, so it is loaded for the first text that needs it.
 */
export const bpeTokenizer: TokenEncoding = {
  async count(text, limit = Number.POSITIVE_INFINITY, enough = Number.NEGATIVE_INFINITY) {
    const count = await (loading ??= load().catch(forget));
    const isBounded = enough > 0;
    let tokens = 0;
    let rest = isBounded ? Buffer.byteLength(text) : 0;
    for (const piece of pieces(text)) {
      if (isBounded) rest -= Buffer.byteLength(piece);
      tokens += count(piece, limit - tokens, enough - tokens - rest);
      if (tokens > limit || tokens + rest <= enough) break;
    }
    return tokens > limit ? tokens : tokens + rest;
  },
  async decode(texts, maxBytes) {
    const [{ default: ranks }, { Vocabulary }] = await Promise.all([
      import('gpt-tokenizer/bpeRanks/cl100k_base'),
      import('./byte-pairs/trie.ts'),
    ]);
    const known = (vocabulary ??= new Vocabulary(ranks));
    let bytes = 0;
    for (const ids of texts) for (const id of ids) bytes += known.lengthOf(id);
    return bytes > maxBytes ? undefined : texts.map((ids) => textOf(ids, known));
  },
};

let vocabulary: Vocabulary | undefined;

/** Clients cut texts between tokens, so a text may begin or end within a character. Incomplete bytes become U+FFFD. */
function textOf(ids: readonly number[], vocabulary: Vocabulary): string {
  const text = Buffer.alloc(ids.reduce((sum, id) => sum + vocabulary.lengthOf(id), 0));
  let at = 0;
  for (const id of ids) {
    for (let from = vocabulary.start(id); from < vocabulary.end(id); from += 1, at += 1)
      text[at] = vocabulary.bytes[from] ?? 0;
  }
  return text.toString();
}

/** Lets the next text load the vocabulary again. */
function forget(error: unknown): never {
  loading = undefined;
  throw error;
}

/** The vocabulary is the package's, the counting is ours (docs/adr/0034-token-count.md). */
async function load(): Promise<Count> {
  const [{ default: ranks }, { Cl100KBase }, { BytePairs }, { WordCounts }] = await Promise.all([
    import('gpt-tokenizer/bpeRanks/cl100k_base'),
    import('gpt-tokenizer/encodingParams/cl100k_base'),
    import('./byte-pairs/byte-pairs.ts'),
    import('./byte-pairs/byte-pairs.ts'),
  ]);
  const word = new RegExp(Cl100KBase(ranks).tokenSplitRegex, 'uy');
  const words = new WordCounts(new BytePairs(ranks));
  return function count(text, limit, enough) {
    const bytes = encoded(text);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const isAscii = bytes.length === text.length;
    let [tokens, from, start] = [0, 0, 0];
    while (tokens <= limit && from < text.length && tokens + bytes.length - start > enough) {
      let end = endOfAsciiWord(bytes, start);
      if (end === 0) {
        const to = endOfLetters(text, from) ?? endOf(word, text, from);
        if (to === undefined) break;
        end = start + (isAscii ? to - from : bytesBetween(text, from, to));
        from = to;
      } else from += end - start;
      tokens += words.count(bytes, view, start, end);
      start = end;
    }
    return tokens > limit ? tokens : tokens + bytes.length - start;
  };
}

const encoder = new TextEncoder();

/** Reused, because the memory of a new array has to be cleared. A longer text has its own. */
let scratch = new Uint8Array(0);
const scratchBytes = 2 ** 21;

/** The text in UTF-8, until the next call. */
function encoded(text: string): Uint8Array<ArrayBuffer> {
  if (text.length * 3 > scratchBytes) return encoder.encode(text);
  if (scratch.length === 0) scratch = new Uint8Array(scratchBytes);
  return scratch.subarray(0, encoder.encodeInto(text, scratch).written);
}

function endOf(word: RegExp, text: string, from: number): number | undefined {
  word.lastIndex = from;
  return word.test(text) ? word.lastIndex : undefined;
}

/** Classes of a UTF-16 unit in the expression of words: a letter, a unit that may precede letters, or any other. */
const [letter, leading, another] = [1, 2, 3];
const kinds = new UnitTable((unit) => {
  if (/\p{L}/u.test(unit)) return letter;
  return /[\r\n\p{N}\p{Cs}']/u.test(unit) ? another : leading;
});

/** End of the word that starts at `from`, if it consists of letters of any language. Undefined for other words. */
function endOfLetters(text: string, from: number): number | undefined {
  const first = kinds.of(text.charCodeAt(from));
  let at = from + 1;
  if (first === another || at === text.length) return undefined;
  if (first === leading && kinds.of(text.charCodeAt(at)) !== letter) return undefined;
  while (at < text.length && kinds.of(text.charCodeAt(at)) === letter) at += 1;
  // A surrogate may be half of a letter.
  return at < text.length && isSurrogate(text.charCodeAt(at)) ? undefined : at;
}

const isSurrogate = (code: number): boolean => code >= 0xd8_00 && code <= 0xdf_ff;

/** Kinds of ASCII characters in the expression of words. `foreign`: bytes of all other characters. */
const [foreign, alphabetic, digit, mark, apostrophe, blank, newline] = [0, 1, 2, 3, 4, 5, 6];
const asciiKinds = Uint8Array.from({ length: 0x100 }, (_, byte) => {
  if (byte >= 0x80) return foreign;
  const character = String.fromCharCode(byte);
  if (/[a-z]/i.test(character)) return alphabetic;
  if (/\d/.test(character)) return digit;
  if (/[\r\n]/.test(character)) return newline;
  if (/\s/.test(character)) return blank;
  return character === "'" ? apostrophe : mark;
});

/**
 * End of the word that starts at `from`: like the expression, but many times as fast. 0 if the expression has to
 * decide, such as for other characters.
 */
function endOfAsciiWord(bytes: Uint8Array, from: number): number {
  const kind = asciiKinds[bytes[from] ?? 0];
  let at = from + 1;
  if (at === bytes.length) return kind === foreign ? 0 : at;
  const next = asciiKinds[bytes[at] ?? 0];
  if (kind === alphabetic || (next === alphabetic && (kind === mark || kind === blank)))
    at = endOfKind(alphabetic, bytes, at);
  else if (kind === digit) at = Math.min(from + 3, endOfKind(digit, bytes, at));
  else if (kind === mark || (bytes[from] === 0x20 && (next === mark || next === apostrophe)))
    at = endOfMarks(bytes, at);
  else if (kind === blank || kind === newline) return endOfSpaces(bytes, from);
  else return 0;
  return at < bytes.length && (bytes[at] ?? 0) >= 0x80 ? 0 : at;
}

function endOfKind(kind: number, bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && asciiKinds[bytes[at] ?? 0] === kind) at += 1;
  return at;
}

function endOfMarks(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && (asciiKinds[bytes[at] ?? 0] === mark || asciiKinds[bytes[at] ?? 0] === apostrophe))
    at += 1;
  return at < bytes.length && (bytes[at] ?? 0) >= 0x80 ? at : endOfKind(newline, bytes, at);
}

/** Spaces end after their last line break. Without one, the last space begins the next word. */
function endOfSpaces(bytes: Uint8Array, from: number): number {
  let [at, line] = [from, 0];
  for (; at < bytes.length; at += 1) {
    const kind = asciiKinds[bytes[at] ?? 0];
    if (kind === newline) line = at + 1;
    else if (kind !== blank) break;
  }
  if (at === bytes.length) return at;
  if ((bytes[at] ?? 0) >= 0x80) return 0;
  return line || Math.max(at - 1, from + 1);
}

/** Length in UTF-8 from `from` to `to`, which are not inside a character. */
function bytesBetween(text: string, from: number, to: number): number {
  let bytes = 0;
  for (let at = from; at < to; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x80) bytes += 1;
    else if (code < 0x8_00) bytes += 2;
    else if (code >= 0xd8_00 && code < 0xdc_00 && isLow(text.charCodeAt(at + 1))) {
      bytes += 4;
      at += 1;
    } else bytes += 3;
  }
  return bytes;
}

const isLow = (code: number): boolean => code >= 0xdc_00 && code <= 0xdf_ff;

/**
 * The text, cut only in long runs of spaces or of anything else. Searches backwards from the maximum end of a run,
 * which skips most characters.
 */
function* pieces(text: string): Generator<string> {
  let [pieceAt, runAt] = [0, 0];
  while (runAt + maxRunLength < text.length) {
    const max = runAt + maxRunLength;
    let at = max;
    while (at > runAt && isSpace(text.charCodeAt(at)) === isSpace(text.charCodeAt(at - 1))) at -= 1;
    if (at === runAt) {
      yield text.slice(pieceAt, max);
      pieceAt = at = max;
    }
    runAt = at;
  }
  yield text.slice(pieceAt);
}

function isSpace(code: number): boolean {
  if (code < 0x80) return code === 32 || (code > 8 && code < 14);
  return wideSpaces.has(code);
}
