import { oggFacts, oggRate } from '../facts/ogg-facts.ts';
import { blockBytes, estimated, type RangedFile } from './ranged-file.ts';

const tailBytes = 64 * 1024;

/** Reads Ogg by the position of the stream's last page (RFC 3533), or by its first packets if they contradict it. */
export async function rangedOgg(file: RangedFile) {
  const head = await file.bytes(0, blockBytes);
  const rate = oggRate(head);
  if (rate === undefined) throw new Error('the file has no audio');
  const tail = await file.bytes(Math.max(0, file.size - tailBytes), file.size);
  const at = tail.lastIndexOf('OggS', undefined, 'latin1');
  const granule = at === -1 || at + 14 > tail.length ? 0 : Number(tail.readBigInt64LE(at + 6));
  const seconds = granule / rate;
  const isKnown = seconds > 0 && Number.isFinite(seconds);
  const maxSeconds = estimated(file, head.length, oggFacts(head).seconds, seconds);
  return { container: 'Ogg', seconds: isKnown ? seconds : undefined, maxSeconds };
}
