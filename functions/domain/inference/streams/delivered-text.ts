import type { Tokenizer } from '../../shared/ports.ts';
import type { ModelUsage } from './model-stream.ts';

/** Characters and pieces for each token of `max_tokens`, and besides, from which on a text is worth counting: few texts reach them. */
const countFrom = { characters: 16, moreCharacters: 1024, pieces: 2, morePieces: 64 };

/** By our tokenizer, which is not the model's, a text within `max_tokens` may have so many times as many, and so many more. */
const slack = { factor: 1.25, tokens: 16 };

/**
 * The text of a stream that was delivered so far, and whether the model has run past the `max_tokens` that it was sent. Its
 * tokens are only counted when its characters or pieces are suspicious, and then again at twice as many.
 */
export class DeliveredText {
  #text = '';
  #usage: ModelUsage | null | undefined;
  #pieces = 0;
  #suspicious: { characters: number; pieces: number };
  readonly #maxTokens: number;
  readonly #tokenizer: Tokenizer;

  constructor(maxTokens: number, tokenizer: Tokenizer) {
    this.#maxTokens = maxTokens;
    this.#tokenizer = tokenizer;
    this.#suspicious = {
      characters: countFrom.characters * maxTokens + countFrom.moreCharacters,
      pieces: countFrom.pieces * maxTokens + countFrom.morePieces,
    };
  }

  get text(): string {
    return this.#text;
  }

  /** What the model reports of it, and of the prompt, as long as that is within `max_tokens`; only of some containers. */
  get usage(): ModelUsage | null | undefined {
    return this.#usage;
  }

  /** `usage` is the last that the model has reported, with this piece or before. */
  add(piece: string, usage?: ModelUsage | null): void {
    this.#text += piece;
    if (!usage || usage.completion_tokens <= this.#maxTokens) this.#usage = usage;
    this.#pieces += 1;
  }

  /** Whether `isOverlong` is worth its time. */
  get isSuspicious(): boolean {
    return this.#text.length > this.#suspicious.characters || this.#pieces > this.#suspicious.pieces;
  }

  async isOverlong(): Promise<boolean> {
    const tokens = await this.#tokenizer.count(this.#text);
    this.#suspicious = { characters: 2 * this.#text.length, pieces: 2 * this.#pieces };
    return tokens > slack.factor * this.#maxTokens + slack.tokens;
  }
}
