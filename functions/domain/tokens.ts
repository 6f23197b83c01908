import type { Tokenizer } from './ports.ts';

/**
 * Whether texts fit into `room` tokens, and how many they have. A text of n UTF-8 bytes is at most n tokens, so most
 * texts fit without being counted: `tokens` is then the bytes, an upper bound, and `isExact` false (design section 7).
 */
export async function measure(texts: readonly string[], room: number, tokenizer: Tokenizer) {
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (bytes <= room) return { tokens: bytes, isExact: false, fits: true };
  const counts = await Promise.all(texts.map((text) => tokenizer.count(text)));
  const tokens = counts.reduce((sum, count) => sum + count, 0);
  return { tokens, isExact: true, fits: tokens <= room };
}
