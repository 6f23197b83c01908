import { flacFrameSeconds, flacHeaderSeconds } from '../facts/flac-facts.ts';
import { blockBytes, estimated, type RangedFile } from './ranged-file.ts';

/** Reads FLAC by its first block, or by the frames after it if they contradict it. Skips pictures before the frames. */
export async function rangedFlac(file: RangedFile) {
  const head = await file.bytes(0, blockBytes);
  const seconds = flacHeaderSeconds(head);
  const facts = { container: 'FLAC', seconds: seconds > 0 ? seconds : undefined };
  return { ...facts, maxSeconds: estimated(file, head.length, flacFrameSeconds(head), seconds) };
}
