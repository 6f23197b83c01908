import { cutText } from '../../inference/translation/text-parts.ts';
import { codePoints } from '../../shared/text/code-points.ts';

/** A passage of a document: `start` and `end` in code points of its text. */
export interface Chunk {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** UTF-8 bytes of a chunk: about 250 tokens of English, so several are a small part of any context. */
export const chunkBytes = 1000;

/** The passages of a text, cut at sentence ends where that can be; white space around them is left out. */
export function chunksOf(text: string): Chunk[] {
  const chunks: Chunk[] = [];
  let at = 0;
  for (const { before, text: passage, after } of cutText(text, chunkBytes)) {
    const start = at + codePoints(before);
    const end = start + codePoints(passage);
    if (passage !== '') chunks.push({ start, end, text: passage });
    at = end + codePoints(after);
  }
  return chunks;
}
