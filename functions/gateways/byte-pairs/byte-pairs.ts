import { IntegerTable, none, type Tokens, Trie, Vocabulary } from './trie.ts';

/** Longer than the 256 UTF-16 units of a run (functions/gateways/tokenizer.ts). */
const maxPieceBytes = 2 ** 13;

/**
 * Counts the tokens of byte-pair encoding. A sequence of tokens is the encoding of its bytes if each two neighbors are.
 * So the encoding is found from left to right: append the longest token that may follow the last one, and remove the
 * last one if no token may. No offset is left twice, so the time is linear in the bytes for any input, and the memory
 * is constant. Source:
 * https://github.blog/ai-and-ml/llms/so-many-tokens-so-little-time-introducing-a-faster-more-flexible-byte-pair-tokenizer/
 */
export class BytePairs {
  readonly #vocabulary: Vocabulary;
  readonly #trie: Trie;
  readonly #merges: Merges;
  /** The longest token that starts at each offset of a piece. */
  readonly #longest = new Int32Array(maxPieceBytes + 1);
  /** Offsets at which no token of the encoding ends. */
  readonly #isExcluded = new Uint8Array(maxPieceBytes + 1);
  readonly #encoding = new Int32Array(maxPieceBytes);

  constructor(tokens: Tokens) {
    this.#vocabulary = new Vocabulary(tokens);
    this.#trie = new Trie(this.#vocabulary);
    this.#merges = new Merges(this.#vocabulary, this.#trie);
  }

  /** Counts the tokens from `start` to `end`, which may contain at most 8 KiB. */
  count(bytes: Uint8Array, start: number, end: number): number {
    if (end - start > maxPieceBytes) throw new RangeError(`A piece of ${end - start} bytes is too long.`);
    if (this.#trie.has(bytes, start, end)) return 1;
    this.#trie.writeLongest(bytes, start, end, this.#longest);
    for (let at = 0; at <= end - start; at += 1) this.#isExcluded[at] = 0;
    return this.#encode(end - start);
  }

  #encode(size: number): number {
    let count = 0;
    let at = 0;
    let candidate = this.#longest[0] ?? none;
    while (at < size) {
      const token = this.#next(count, candidate, at);
      if (token === none) {
        this.#isExcluded[at] = 1;
        count -= 1;
        candidate = this.#encoding[count] ?? none;
        at -= this.#vocabulary.lengthOf(candidate);
      } else {
        this.#encoding[count] = token;
        count += 1;
        at += this.#vocabulary.lengthOf(token);
        candidate = this.#longest[at] ?? none;
      }
    }
    return count;
  }

  /** The longest prefix of the candidate that may follow the first `count` tokens, which end at `at`. */
  #next(count: number, candidate: number, at: number): number {
    let token = candidate;
    while (token !== none) {
      if (this.#isExcluded[at + this.#vocabulary.lengthOf(token)] === 1) {
        token = this.#trie.prefix(token);
        continue;
      }
      const fitting = count === 0 ? token : this.#merges.compatiblePrefix(this.#encoding[count - 1] ?? none, token);
      if (fitting === token) return token;
      token = fitting;
    }
    return none;
  }
}

/** Slots of the hash table, for the 100,256 tokens of cl100k. */
const slots = 2 ** 18;

/** Bases of two polynomial hashes. The hash of two sequences together follows from those of each. */
const bases = [0xcc9e2d51, 0x5bd1e995] as const;

/** Larger than every rank. */
const unranked = 2 ** 17;

/** Fields of a token. They are adjacent because they are read together. */
const fields = 8;
const [hash, check, power, checkPower, left, right] = [0, 1, 2, 3, 4, 5];

/** The cache of pairs has a fixed number of entries, 2 to this power. */
const pairBits = 15;

/** Decides which tokens merge with each other. */
class Merges {
  readonly #vocabulary: Vocabulary;
  readonly #trie: Trie;
  /**
   * Arrays indexed by token: its two hashes, the powers of their bases for its length, and, after the first lookup, the
   * two tokens that it was merged from. The hashes have 64 bits together, so no two pairs of the vocabulary collide.
   */
  readonly #entries: Int32Array;
  readonly #byHash = new IntegerTable(slots);
  readonly #pairs = new Float64Array(2 ** pairBits).fill(none);
  readonly #found = new Int32Array(2 ** pairBits);

  constructor(vocabulary: Vocabulary, trie: Trie) {
    this.#vocabulary = vocabulary;
    this.#trie = trie;
    this.#entries = new Int32Array(fields * vocabulary.size).fill(none);
    for (let token = 0; token < vocabulary.size; token += 1) this.#add(token);
  }

  #add(token: number): void {
    for (const [index, base] of bases.entries()) {
      let sum = 0;
      let factor = 1;
      for (let at = this.#vocabulary.start(token); at < this.#vocabulary.end(token); at += 1) {
        sum = (Math.imul(sum, base) + (this.#vocabulary.bytes[at] ?? 0) + 1) | 0;
        factor = Math.imul(factor, base);
      }
      this.#entries[fields * token + hash + index] = sum;
      this.#entries[fields * token + power + index] = factor;
    }
    if (this.#byHash.get(this.#field(token, hash)) !== none) throw new Error(`Token ${token} has the hash of another.`);
    this.#byHash.set(this.#field(token, hash), token);
  }

  /** The longest prefix of the candidate, or the candidate itself, that does not merge with the token before it. */
  compatiblePrefix(token: number, candidate: number): number {
    const pair = token * unranked + candidate;
    const slot = Math.imul(Math.imul(token, bases[0]) ^ candidate, bases[1]) >>> (32 - pairBits);
    if (this.#pairs[slot] === pair) return this.#found[slot] ?? none;
    let found = candidate;
    while (found !== none && !this.#stayApart(token, found, unranked)) found = this.#trie.prefix(found);
    this.#pairs[slot] = pair;
    this.#found[slot] = found;
    return found;
  }

  /**
   * Whether two tokens are the encoding of their bytes if only tokens with a rank below `limit` are merged. Undoes the
   * merges at their border, the last one first: its two sides must not form a token with an earlier rank.
   */
  #stayApart(one: number, other: number, limit: number): boolean {
    let before = one;
    let after = other;
    let below = limit;
    for (;;) {
      const joined = this.#joined(before, after);
      if (joined !== none && joined < below) return false;
      const inner = this.#part(before, right);
      const outer = this.#part(after, left);
      if (inner === before && outer === after) return true;
      // Of two merges with the same rank, the left one comes first.
      if (outer === after || (before > after && inner !== before)) {
        below = before;
        before = inner;
      } else {
        below = after + 1;
        after = outer;
      }
    }
  }

  /** The token that two others merge into. */
  #joined(before: number, after: number): number {
    const token = this.#byHash.get(this.#sum(before, after, hash, power));
    const isJoined = token !== none && this.#field(token, check) === this.#sum(before, after, check, checkPower);
    return isJoined ? token : none;
  }

  /** Hash of two tokens together. */
  #sum(before: number, after: number, field: number, factor: number): number {
    return (Math.imul(this.#field(before, field), this.#field(after, factor)) + this.#field(after, field)) | 0;
  }

  #field(token: number, field: number): number {
    return this.#entries[fields * token + field] ?? none;
  }

  /** One of the two tokens that a token was merged from; the token itself if it is a single byte. */
  #part(token: number, side: number): number {
    if (this.#field(token, side) === none) this.#split(token);
    return this.#field(token, side);
  }

  /** Finds the two tokens that a token was merged from: the encoding of its bytes before that merge. */
  #split(token: number): void {
    let first = this.#trie.prefix(token);
    while (first !== none && !this.#isJoinedTo(token, first)) first = this.#trie.prefix(first);
    this.#entries[fields * token + left] = first === none ? token : first;
    this.#entries[fields * token + right] = first === none ? token : this.#trie.rest(token, first);
  }

  #isJoinedTo(token: number, first: number): boolean {
    const second = this.#trie.rest(token, first);
    return second !== none && first < token && second < token && this.#stayApart(first, second, token);
  }
}

/** Four overlapping reads of four bytes contain every byte of a cached word. */
const maxBytes = 16;

/** The cache has 2 to this power entries: 320 KB, which fit in the processor's cache. */
const entryBits = 14;

/** Fields of an entry: the four reads, then the length and the count in one number. */
const fieldsOfEntry = 5;
const countBits = 8;

/** Counts the tokens of words, and caches the counts of short ones, because texts repeat words. */
export class WordCounts {
  readonly #bytePairs: BytePairs;
  readonly #entries = new Int32Array(fieldsOfEntry << entryBits);

  constructor(bytePairs: BytePairs) {
    this.#bytePairs = bytePairs;
  }

  /** `view`: a view of the same bytes. */
  count(bytes: Uint8Array, view: DataView, start: number, end: number): number {
    const size = end - start;
    if (size > maxBytes || start + 4 > bytes.length) return this.#bytePairs.count(bytes, start, end);
    const entries = this.#entries;
    const one = size < 4 ? view.getInt32(start, true) & ((1 << (8 * size)) - 1) : view.getInt32(start, true);
    const four = size < 4 ? 0 : view.getInt32(end - 4, true);
    const two = size > 8 ? view.getInt32(start + 4, true) : 0;
    const three = size > 8 ? view.getInt32(end - 8, true) : 0;
    const at = fieldsOfEntry * (Math.imul(one + Math.imul(four, 0x5bd1e995) + size, 0x9e3779b1) >>> (32 - entryBits));
    const known = entries[at + 4] ?? 0;
    const isSame =
      known >> countBits === size &&
      entries[at] === one &&
      entries[at + 1] === two &&
      entries[at + 2] === three &&
      entries[at + 3] === four;
    if (isSame) return known & ((1 << countBits) - 1);
    const count = this.#bytePairs.count(bytes, start, end);
    entries[at] = one;
    entries[at + 1] = two;
    entries[at + 2] = three;
    entries[at + 3] = four;
    entries[at + 4] = (size << countBits) | count;
    return count;
  }
}
