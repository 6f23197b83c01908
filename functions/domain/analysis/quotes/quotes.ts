import { mentionsOf } from './locate.ts';
import { byPlace, type Span } from './span.ts';

export interface Quote {
  readonly text: string;
  readonly type?: string;
}

export interface Located<Item> {
  readonly quote: Item;
  readonly span: Span;
}

/** Finds a model's quotes in a text, and counts those that are not there. */
export class QuoteFinder {
  unlocated = 0;
  readonly #text: string;
  readonly #mentions = new Map<string, readonly Span[]>();

  constructor(text: string) {
    this.#text = text;
  }

  /** Each mention of each quote once, in the order of the text. */
  locate<Item extends Quote>(quotes: readonly Item[]): Located<Item>[] {
    const found = new Map<string, Located<Item>[]>();
    for (const quote of quotes) {
      const words = quote.text.trim();
      const mentions = this.#mentionsOf(words);
      if (mentions.length === 0) this.unlocated += 1;
      const key = `${quote.type} ${words}`;
      if (!found.has(key))
        found.set(
          key,
          mentions.map((span) => ({ quote, span })),
        );
    }
    return [...found.values()].flat().toSorted((one, other) => byPlace(one.span, other.span));
  }

  #mentionsOf(words: string): readonly Span[] {
    const known = this.#mentions.get(words);
    if (known) return known;
    const mentions = words.isWellFormed() ? mentionsOf(words, this.#text) : [];
    this.#mentions.set(words, mentions);
    return mentions;
  }
}
