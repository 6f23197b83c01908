import { WavChunks, wavChunkBytes } from '../facts/wav-facts.ts';
import { type RangedFile, TooFar } from './ranged-file.ts';

/** Reads WAV by its samples. If it has more chunks than are read, the rest may be samples. */
export async function rangedWav(file: RangedFile) {
  const chunks = new WavChunks(file.size);
  try {
    for (let at = chunks.next; at !== undefined; at = chunks.next) chunks.add(await file.bytes(at, at + wavChunkBytes));
  } catch (error) {
    if (!(error instanceof TooFar)) throw error;
    chunks.stop();
  }
  return chunks.facts();
}
