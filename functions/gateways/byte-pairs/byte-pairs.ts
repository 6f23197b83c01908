import { Heap } from './heap.ts';
import { Ranks, type Tokens, unranked } from './ranks.ts';

/** A piece has fewer bytes, so that a rank and a place in a piece are one 32-bit number: the lowest rank comes first, then the leftmost. */
const places = 2 ** 13;

/** Of so many parts a sweep joins one at least, or it was the last. */
const worthwhile = 8;

/**
 * Counts the tokens that byte-pair encoding makes: the neighbours that are the token of the lowest rank are joined, the
 * leftmost first, until none are a token. Sweeps join what comes often, as in a long run of spaces, a heap the rest. Takes
 * n log n for n bytes, whatever they are, and remembers nothing.
 */
export class BytePairs {
  readonly #ranks: Ranks;
  #bytes: Uint8Array = new Uint8Array();
  #size = 0;
  /** Of each part: where it begins, and its rank if joined with the next one. */
  readonly #starts = new Int32Array(places + 1);
  readonly #joined = new Int32Array(places + 1);
  /** The parts that are left on its sides, once the heap is used. */
  readonly #next = new Int32Array(places + 1);
  readonly #previous = new Int32Array(places + 1);
  /** Each part comes in once at the beginning, and twice for each that is joined. */
  readonly #waiting = new Heap(3 * places);

  constructor(tokens: Tokens) {
    this.#ranks = new Ranks(tokens);
  }

  /** Of the piece from `start` to `end`. */
  count(bytes: Uint8Array, start: number, end: number): number {
    if (this.#ranks.of(bytes, start, end) !== unranked) return 1;
    if (end - start >= places) throw new RangeError(`A piece of ${end - start} bytes is too long.`);
    this.#cut(bytes, start, end);
    for (let lowest = this.#lowest(); lowest !== unranked; lowest = this.#lowest()) {
      const before = this.#size;
      this.#sweep(lowest);
      if ((before - this.#size) * worthwhile < before) return this.#joinRest();
    }
    return this.#size;
  }

  /** Into single bytes. */
  #cut(bytes: Uint8Array, start: number, end: number): void {
    this.#bytes = bytes;
    this.#size = end - start;
    for (let at = 0; at <= this.#size; at += 1) {
      this.#starts[at] = start + at;
      this.#joined[at] = at + 1 < this.#size ? this.#ranks.ofPair(bytes, start + at) : unranked;
    }
  }

  #lowest(): number {
    let lowest = unranked;
    for (let at = 0; at < this.#size; at += 1) lowest = Math.min(lowest, this.#joined[at] ?? unranked);
    return lowest;
  }

  /** Joins what has the lowest rank from left to right, until that makes something of a lower one. */
  #sweep(lowest: number): void {
    const [starts, joined, size] = [this.#starts, this.#joined, this.#size];
    let made = unranked;
    let to = 0;
    for (let from = 0; from < size; from += 1, to += 1) {
      const rank = joined[from] ?? unranked;
      starts[to] = starts[from] ?? 0;
      joined[to] = rank;
      if (rank !== lowest || made < lowest) continue;
      from += 1;
      // What is right of it is not moved yet, what is left of it is.
      const after = from + 1;
      joined[to] = after < size ? this.#rankOf(starts[to] ?? 0, starts[after + 1] ?? 0) : unranked;
      if (to > 0) joined[to - 1] = this.#rankOf(starts[to - 1] ?? 0, starts[after] ?? 0);
      made = Math.min(made, joined[to] ?? unranked, to > 0 ? (joined[to - 1] ?? unranked) : unranked);
    }
    starts[to] = starts[size] ?? 0;
    this.#size = to;
  }

  #joinRest(): number {
    const size = this.#size;
    for (let at = 0; at < size; at += 1) {
      this.#next[at] = at + 1;
      this.#previous[at] = at - 1;
      this.#wait(at, this.#joined[at] ?? unranked);
    }
    let count = size;
    for (let item = this.#waiting.pop(); item !== undefined; item = this.#waiting.pop()) {
      const at = item % places;
      // It was joined with another one in the meantime, or is part of another one.
      if (this.#joined[at] !== Math.floor(item / places)) continue;
      const gone = this.#next[at] ?? size;
      const after = this.#next[gone] ?? size;
      this.#joined[gone] = unranked;
      this.#next[at] = after;
      this.#previous[after] = at;
      count -= 1;
      this.#wait(at, after < size ? this.#rankOfParts(at, this.#next[after] ?? size) : unranked);
      if (at > 0) this.#wait(this.#previous[at] ?? 0, this.#rankOfParts(this.#previous[at] ?? 0, after));
    }
    return count;
  }

  #wait(at: number, joined: number): void {
    this.#joined[at] = joined;
    if (joined !== unranked) this.#waiting.push(joined * places + at);
  }

  #rankOfParts(from: number, to: number): number {
    return this.#rankOf(this.#starts[from] ?? 0, this.#starts[to] ?? 0);
  }

  #rankOf(start: number, end: number): number {
    return this.#ranks.of(this.#bytes, start, end);
  }
}
