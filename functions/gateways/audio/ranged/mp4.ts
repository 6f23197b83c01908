import { Mp4Boxes, mp4HeadBytes } from '../facts/mp4-facts.ts';
import { type RangedFile, TooFar } from './ranged-file.ts';

/**
 * Reads MP4 by the headers of the file and its tracks, wherever they are. Fragmented files have undefined seconds,
 * because their header contains no duration.
 */
export async function rangedMp4(file: RangedFile) {
  const boxes = new Mp4Boxes();
  try {
    for (let at = 0; at + 8 <= file.size;) {
      const length = boxes.add(await file.bytes(at, at + mp4HeadBytes), file.size - at);
      if (boxes.isFragmented) return { container: 'mp4', seconds: undefined };
      if (length === 0) break;
      at += length;
    }
  } catch (error) {
    if (!(error instanceof TooFar)) throw error;
    return { container: 'mp4', seconds: undefined };
  }
  return boxes.facts();
}
