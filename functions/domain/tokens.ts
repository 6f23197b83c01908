import type { Tokenizer } from './ports.ts';

/**
 * How many tokens texts have. A text of n UTF-8 bytes is at most n tokens: where the bytes are no more than `enough`,
 * they are given, an upper bound for which nothing needs to be counted (design section 7).
 */
export async function tokensOf(texts: readonly string[], enough: number, tokenizer: Tokenizer): Promise<number> {
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return bytes <= enough ? bytes : countTokens(texts, tokenizer);
}

export async function countTokens(texts: readonly string[], tokenizer: Tokenizer): Promise<number> {
  const counts = await Promise.all(texts.map((text) => tokenizer.count(text)));
  return counts.reduce((sum, count) => sum + count, 0);
}
