import type { BytePairs } from './byte-pairs.ts';

/** Four overlapping reads of four bytes contain every byte of a cached word. */
const maxBytes = 16;

/** The cache has 2 to this power entries: 320 KB, which fit in the processor's cache. */
const entryBits = 14;

/** Fields of an entry: the four reads, then the length and the count in one number. */
const fields = 5;
const countBits = 8;

/** Counts the tokens of words, and caches the counts of short ones, because texts repeat words. */
export class WordCounts {
  readonly #bytePairs: BytePairs;
  readonly #entries = new Int32Array(fields << entryBits);

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
    const at = fields * (Math.imul(one + Math.imul(four, 0x5bd1e995) + size, 0x9e3779b1) >>> (32 - entryBits));
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
