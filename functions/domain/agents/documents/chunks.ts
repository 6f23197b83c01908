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

/** Lower bound of the number of chunks, at least 1. Takes 2 ms for 1 MiB; cutting the text takes 300 ms. */
export function minChunksOf(text: string): number {
  let minBytes = 0;
  for (let at = 0; at < text.length; at++) if (!mayBeSpace(text.charCodeAt(at))) minBytes += 1;
  return Math.max(1, Math.ceil(minBytes / chunkBytes));
}

/** Whether a UTF-16 code unit may be white space, which is trimmed from chunks. */
const mayBeSpace = (unit: number): boolean =>
  unit <= 0x20 || unit === 0x85 || unit === 0xa0 || (unit >= 0x1680 && unit <= 0x3000) || unit === 0xfeff;
