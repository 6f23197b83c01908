import { Heap } from './heap.ts';
import { Ranks, type Tokens, unranked } from './ranks.ts';

/** A piece has fewer bytes, so that a rank and a place in a piece are one 32-bit number: the lowest rank comes first, then the leftmost. */
const places = 2 ** 13;

/** Counts the tokens that byte-pair encoding makes. Takes n log n for n bytes, whatever they are, and remembers nothing. */
export class BytePairs {
  readonly #ranks: Ranks;
  /** Of each part of a piece, by the place where it begins: where the next one begins, the one before, and its rank if joined with the next. */
  readonly #next = new Int32Array(places);
  readonly #previous = new Int32Array(places);
  readonly #joined = new Int32Array(places);
  /** Each part comes in once at the beginning, and twice for each merge. */
  readonly #waiting = new Heap(3 * places);

  constructor(tokens: Tokens) {
    this.#ranks = new Ranks(tokens);
  }

  /** Of the piece from `start` to `end`. */
  count(bytes: Uint8Array, start: number, end: number): number {
    if (this.#ranks.of(bytes, start, end) !== unranked) return 1;
    const size = end - start;
    if (size >= places) throw new RangeError(`A piece of ${size} bytes is too long.`);
    this.#cut(bytes, start, size);
    let count = size;
    for (let item = this.#waiting.pop(); item !== undefined; item = this.#waiting.pop()) {
      const at = item % places;
      // It was joined with another one in the meantime, or is part of another one.
      if (this.#joined[at] !== Math.floor(item / places)) continue;
      const gone = this.#next[at] ?? size;
      const after = this.#next[gone] ?? size;
      this.#joined[gone] = unranked;
      this.#next[at] = after;
      if (after < size) this.#previous[after] = at;
      count -= 1;
      const stop = after < size ? (this.#next[after] ?? size) : 0;
      this.#wait(at, stop > 0 ? this.#ranks.of(bytes, start + at, start + stop) : unranked);
      const before = this.#previous[at] ?? 0;
      if (at > 0) this.#wait(before, this.#ranks.of(bytes, start + before, start + after));
    }
    return count;
  }

  /** Into its bytes. */
  #cut(bytes: Uint8Array, start: number, size: number): void {
    for (let at = 0; at < size; at += 1) {
      this.#next[at] = at + 1;
      this.#previous[at] = at - 1;
      this.#wait(at, at + 1 < size ? this.#ranks.ofPair(bytes, start + at) : unranked);
    }
  }

  #wait(at: number, joined: number): void {
    this.#joined[at] = joined;
    if (joined !== unranked) this.#waiting.push(joined * places + at);
  }
}
