import { wavChunk, wavChunkBytes } from '../facts/wav-facts.ts';
import { type RangedFile, TooFar } from './ranged-file.ts';

/** Of WAV by its samples; what has more chunks than are read may be samples to its end. */
export async function rangedWav(file: RangedFile) {
  let bytesPerSecond = 0;
  let dataBytes = 0;
  let at = 12;
  try {
    while (at + 8 <= file.size) {
      const chunk = wavChunk(await file.bytes(at, at + wavChunkBytes), file.size - at);
      bytesPerSecond = chunk.bytesPerSecond ?? bytesPerSecond;
      dataBytes += chunk.dataBytes;
      at += chunk.length;
    }
  } catch (error) {
    if (!(error instanceof TooFar)) throw error;
    dataBytes += file.size - at;
  }
  return { container: 'WAVE', seconds: dataBytes / bytesPerSecond };
}
