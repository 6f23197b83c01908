import type { Tokenizer } from '../shared/ports.ts';

/** Throws unless the caller's credential is valid. Counting costs more than reading a request, so it comes after that. */
export type Proof = () => Promise<void>;

/** How many tokens texts have together. They are counted only when that must be known, no further than needed, and once. */
export class TokenCount {
  readonly #texts: readonly string[];
  readonly #tokenizer: Tokenizer;
  #counted: { readonly tokens: number; readonly limit: number } | undefined;

  constructor(texts: readonly string[], tokenizer: Tokenizer) {
    this.#texts = texts;
    this.#tokenizer = tokenizer;
  }

  /**
   * An upper bound. A text of n UTF-8 bytes is at most n tokens: where the bytes are no more than `enough`, they are given, for
   * which nothing needs to be counted or proved. Otherwise as `upTo`.
   */
  async bound(enough: number, limit: number, prove: Proof): Promise<number> {
    const bytes = this.#texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    if (bytes <= enough) return bytes;
    await prove();
    return this.upTo(limit);
  }

  /** The number of tokens; where that is over `limit`, as many as were counted until it was. */
  async upTo(limit: number): Promise<number> {
    const known = this.#counted;
    if (known && (known.tokens <= known.limit || limit <= known.limit)) return known.tokens;
    let tokens = 0;
    for (const text of this.#texts) {
      tokens += await this.#tokenizer.count(text, limit - tokens);
      if (tokens > limit) break;
    }
    this.#counted = { tokens, limit };
    return tokens;
  }
}

/** Tokens that a model may add to a text, such as those for its beginning and its end. */
const maxSpecialTokens = 8;

/** The most tokens that a model can make of texts: a text of n UTF-8 bytes is at most n. */
export const maxTokensOf = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + Buffer.byteLength(text) + maxSpecialTokens, 0);

export async function countTokens(texts: readonly string[], tokenizer: Tokenizer): Promise<number> {
  return new TokenCount(texts, tokenizer).upTo(Number.POSITIVE_INFINITY);
}
