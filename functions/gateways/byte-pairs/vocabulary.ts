/** Of bytes that are no token. */
export const none = -1;

/** Tokens by rank, as text or, where that is no UTF-8, as bytes. */
export type Tokens = readonly (string | readonly number[])[];

/** The bytes of all tokens, one after another. */
export class Vocabulary {
  readonly bytes: Uint8Array;
  readonly #offsets: Int32Array;

  constructor(tokens: Tokens) {
    const parts = tokens.map((token) => (typeof token === 'string' ? Buffer.from(token) : Uint8Array.from(token)));
    this.bytes = Buffer.concat(parts);
    this.#offsets = new Int32Array(tokens.length + 1);
    let offset = 0;
    for (const [token, { length }] of parts.entries()) this.#offsets[token + 1] = offset += length;
  }

  get size(): number {
    return this.#offsets.length - 1;
  }

  start(token: number): number {
    return this.#offsets[token] ?? 0;
  }

  end(token: number): number {
    return this.#offsets[token + 1] ?? 0;
  }

  lengthOf(token: number): number {
    return this.end(token) - this.start(token);
  }
}
