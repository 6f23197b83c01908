/** Of bytes that are no token; above every rank. */
export const unranked = 2 ** 17;

/** Tokens by rank, as text or, where that is no UTF-8, as bytes. */
export type Tokens = readonly (string | readonly number[])[];

/** Of the table: at least twice as many as there are tokens. */
const slots = 2 ** 18;

/** Ranks of the tokens of a vocabulary by their bytes, in a table of open addresses, which needs no strings to look into. */
export class Ranks {
  readonly #bytes: Uint8Array;
  /** Where each token begins in the bytes of all of them. */
  readonly #offsets: Int32Array;
  readonly #table = new Int32Array(slots).fill(unranked);
  /** Of tokens of two bytes, which are asked for most. */
  readonly #pairs = new Int32Array(2 ** 16).fill(unranked);

  constructor(tokens: Tokens) {
    const parts = tokens.map((token) => (typeof token === 'string' ? Buffer.from(token) : Uint8Array.from(token)));
    this.#bytes = Buffer.concat(parts);
    this.#offsets = new Int32Array(tokens.length + 1);
    for (const [rank, part] of parts.entries()) {
      const offset = this.#offsets[rank] ?? 0;
      this.#offsets[rank + 1] = offset + part.length;
      this.#table[this.#slot(part, 0, part.length)] = rank;
      if (part.length === 2) this.#pairs[pairAt(part, 0)] = rank;
    }
  }

  of(bytes: Uint8Array, start: number, end: number): number {
    return this.#table[this.#slot(bytes, start, end)] ?? unranked;
  }

  /** Of two bytes. */
  ofPair(bytes: Uint8Array, start: number): number {
    return this.#pairs[pairAt(bytes, start)] ?? unranked;
  }

  /** Where the rank of some bytes is, or would be. */
  #slot(bytes: Uint8Array, start: number, end: number): number {
    let hash = 0;
    for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
    let slot = (hash ^ (hash >>> 15)) & (slots - 1);
    while (!this.#fits(slot, bytes, start, end)) slot = (slot + 1) & (slots - 1);
    return slot;
  }

  #fits(slot: number, bytes: Uint8Array, start: number, end: number): boolean {
    const rank = this.#table[slot] ?? unranked;
    if (rank === unranked) return true;
    const offset = this.#offsets[rank] ?? 0;
    if ((this.#offsets[rank + 1] ?? 0) - offset !== end - start) return false;
    for (let at = start; at < end; at += 1) if (bytes[at] !== this.#bytes[offset + at - start]) return false;
    return true;
  }
}

function pairAt(bytes: Uint8Array, start: number): number {
  return (bytes[start] ?? 0) * 256 + (bytes[start + 1] ?? 0);
}
