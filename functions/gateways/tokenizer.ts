import type { TokenEncoding } from '#domain/shared/ports.ts';
import { UnitTable } from '#domain/shared/text.ts';
import type { Vocabulary } from './byte-pairs/trie.ts';

/** UTF-16 units. A longer run of spaces or of anything else is cut here, which bounds the cost of a word. */
const maxRunLength = 256;

/** White space beyond ASCII, as in the `\s` of regular expressions. */
const wideSpaces = new Set(
  Array.from(
    '\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff',
    (space) => space.charCodeAt(0),
  ),
);

let loading: Promise<(text: string, limit: number) => number> | undefined;

/** Counts tokens of OpenAI's cl100k vocabulary. It is 1 MB of code, so it is loaded for the first text that needs it. */
export const bpeTokenizer: TokenEncoding = {
  async count(text, limit = Number.POSITIVE_INFINITY) {
    const count = await (loading ??= load().catch(forget));
    let tokens = 0;
    for (const piece of pieces(text)) {
      tokens += count(piece, limit - tokens);
      if (tokens > limit) break;
    }
    return tokens;
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
async function load(): Promise<(text: string, limit: number) => number> {
  const [{ default: ranks }, { Cl100KBase }, { BytePairs }] = await Promise.all([
    import('gpt-tokenizer/bpeRanks/cl100k_base'),
    import('gpt-tokenizer/encodingParams/cl100k_base'),
    import('./byte-pairs/byte-pairs.ts'),
  ]);
  const word = new RegExp(Cl100KBase(ranks).tokenSplitRegex, 'uy');
  const bytePairs = new BytePairs(ranks);
  return function count(text, limit) {
    const bytes = Buffer.from(text);
    const isAscii = bytes.length === text.length;
    let [tokens, from, start] = [0, 0, 0];
    while (tokens <= limit && from < text.length) {
      const to = endOfLetters(text, from) ?? endOf(word, text, from);
      if (to === undefined) break;
      const end = start + (isAscii ? to - from : bytesBetween(text, from, to));
      tokens += bytePairs.count(bytes, start, end);
      [from, start] = [to, end];
    }
    return tokens;
  };
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

/** End of a word of letters that starts at `from`: like the expression, but many times as fast. Undefined for other words. */
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

/** The text, cut only in long runs of spaces or of anything else. */
function* pieces(text: string): Generator<string> {
  let [pieceAt, runAt, wasSpace] = [0, 0, false];
  for (let at = 0; at < text.length; at += 1) {
    const space = isSpace(text.charCodeAt(at));
    if (space !== wasSpace) [runAt, wasSpace] = [at, space];
    if (at - runAt < maxRunLength) continue;
    yield text.slice(pieceAt, at);
    pieceAt = runAt = at;
  }
  yield text.slice(pieceAt);
}

function isSpace(code: number): boolean {
  if (code < 0x80) return code === 32 || (code > 8 && code < 14);
  return wideSpaces.has(code);
}
