import type { Tokenizer } from '#domain/shared/ports.ts';

/** UTF-16 units. A run without a break is cut here, so that none costs more than others. */
const maxRunLength = 256;

/** White space beyond ASCII, as regular expressions have it. */
const wideSpaces = new Set(
  Array.from(
    '\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff',
    (space) => space.charCodeAt(0),
  ),
);

let loading: Promise<(text: string, limit: number) => number> | undefined;

/** Counts by OpenAI's cl100k vocabulary. It is 1 MB of code, so it is loaded when a text first needs it. */
export const bpeTokenizer: Tokenizer = {
  async count(text, limit = Number.POSITIVE_INFINITY) {
    const count = await (loading ??= load().catch(forget));
    let tokens = 0;
    for (const piece of pieces(text)) {
      tokens += count(piece, limit - tokens);
      if (tokens > limit) break;
    }
    return tokens;
  },
};

/** A load that failed is tried again by the next text. */
function forget(error: unknown): never {
  loading = undefined;
  throw error;
}

/**
 * The vocabulary is the library's, the counting is not: its merges take the square of a word's length, and the cache
 * that hides this is filled by whoever sends many words, and is slow from then on.
 */
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
    word.lastIndex = 0;
    while (tokens <= limit && word.test(text)) {
      const to = word.lastIndex;
      const end = start + (isAscii ? to - from : Buffer.byteLength(text.slice(from, to)));
      tokens += bytePairs.count(bytes, start, end);
      [from, start] = [to, end];
    }
    return tokens;
  };
}

/** The text, cut only within long runs of spaces or of anything else. */
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
