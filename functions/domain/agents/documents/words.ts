/** Number of occurrences in a passage, by the hash of the word. */
export type WordCounts = ReadonlyMap<number, number>;

/** Maximum distinct words stored per passage of 1,000 bytes. English prose has about 120. */
const maxWords = 400;
const maxCount = 255;

const insideNames = /(?<=\p{Ll})(?=\p{Lu})/gu;
const words = /[\p{L}\p{N}]+/gu;
/** Scripts that are written without spaces, or whose words change at their end. Pairs of characters replace words. */
const unspaced =
  /([\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]+)/u;

/** Hashes the words of a text, ignoring case and diacritics. Names such as `maxTokens` count as two words. */
export function countWords(text: string): WordCounts {
  const plain = text
    .replaceAll(insideNames, ' ')
    .normalize('NFKD')
    .replaceAll(/\p{Mn}/gu, '')
    .normalize('NFC');
  const counts = new Map<number, number>();
  for (const [run] of plain.toLowerCase().matchAll(words))
    for (const word of termsOf(run)) {
      const key = hash(word);
      const count = counts.get(key);
      if (count === undefined && counts.size >= maxWords) continue;
      counts.set(key, Math.min(maxCount, (count ?? 0) + 1));
    }
  return counts;
}

function* termsOf(run: string): Generator<string> {
  if (!unspaced.test(run)) {
    yield run;
    return;
  }
  // The capturing group keeps the separators, at odd indexes.
  for (const [place, part] of run.split(unspaced).entries()) {
    if (part === '') continue;
    if (place % 2 === 0 || part.length === 1) yield part;
    else for (let at = 0; at + 1 < part.length; at++) yield part.slice(at, at + 2);
  }
}

/** FNV-1a, 32 bits, over UTF-16 code units. Fewer than one pair among 50,000 words is expected to collide. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return value >>> 0;
}

/** Bytes per word: its hash (uint32, little-endian) and its count. A passage starts with its number of words (uint16). */
const wordBytes = 5;
const headBytes = 2;

/** Packs the words of passages, at most 2,002 bytes per passage. */
export function packWords(passages: readonly WordCounts[]): Uint8Array {
  const size = passages.reduce((sum, counts) => sum + headBytes + counts.size * wordBytes, 0);
  const packed = new Uint8Array(size);
  const view = new DataView(packed.buffer);
  let at = 0;
  for (const counts of passages) {
    view.setUint16(at, counts.size, true);
    at += headBytes;
    for (const [word, count] of counts) {
      view.setUint32(at, word, true);
      view.setUint8(at + 4, count);
      at += wordBytes;
    }
  }
  return packed;
}

/**
 * Calls `visit` for each word of each passage, or not at all without bytes. Throws a RangeError if the bytes are not
 * those of `count` passages.
 */
export function visitWords(
  packed: Uint8Array | undefined,
  count: number,
  visit: (passage: number, word: number, count: number) => void,
): void {
  if (!packed) return;
  const view = new DataView(packed.buffer, packed.byteOffset, packed.length);
  let at = 0;
  for (let passage = 0; passage < count; passage++) {
    const size = view.getUint16(at, true);
    at += headBytes;
    for (const end = at + size * wordBytes; at < end; at += wordBytes)
      visit(passage, view.getUint32(at, true), view.getUint8(at + 4));
  }
  if (at !== packed.length) throw new RangeError('the words are not those of so many passages');
}
