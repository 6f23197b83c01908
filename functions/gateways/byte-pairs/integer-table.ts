/** Of what is not in a table. */
const none = -1;

const filterBits = 2 ** 21;

/**
 * Whole numbers of 32 bits, each with a number from 0 up, by open addressing. A Bloom filter of 256 KB, which stays in the
 * processor's cache, is before it: most of what is looked up is not in it.
 */
export class IntegerTable {
  /** A key, then its value. */
  readonly #entries: Int32Array;
  readonly #filter = new Int32Array(filterBits / 32);

  /** For at most half as many keys as slots, which are a power of two. */
  constructor(slots: number) {
    this.#entries = new Int32Array(2 * slots).fill(none);
  }

  get(key: number): number {
    const hash = mixed(key);
    return this.#mayHave(hash) ? (this.#entries[this.#slot(key, hash) + 1] ?? none) : none;
  }

  set(key: number, value: number): void {
    const hash = mixed(key);
    const slot = this.#slot(key, hash);
    this.#entries[slot] = key;
    this.#entries[slot + 1] = value;
    const bit = hash & (filterBits - 1);
    this.#filter[bit >>> 5] = (this.#filter[bit >>> 5] ?? 0) | (1 << (bit & 31));
  }

  #mayHave(hash: number): boolean {
    const bit = hash & (filterBits - 1);
    return ((this.#filter[bit >>> 5] ?? 0) & (1 << (bit & 31))) !== 0;
  }

  /** Where a key is, or would be. */
  #slot(key: number, hash: number): number {
    const last = this.#entries.length - 1;
    let slot = (2 * hash) & last;
    while (this.#entries[slot + 1] !== none && this.#entries[slot] !== key) slot = (slot + 2) & last;
    return slot;
  }
}

/** Spreads what is near. */
function mixed(key: number): number {
  const product = Math.imul(key ^ (key >>> 15), 0x9e3779b1);
  return product ^ (product >>> 15);
}
