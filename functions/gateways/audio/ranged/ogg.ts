import { oggRate } from '../facts/ogg-facts.ts';
import { blockBytes, type RangedFile } from './ranged-file.ts';

const tailBytes = 64 * 1024;

/** Of Ogg by the position that the last page of the stream names (RFC 3533). */
export async function rangedOgg(file: RangedFile) {
  const rate = oggRate(await file.bytes(0, blockBytes));
  if (rate === undefined) throw new Error('the file has no audio');
  const tail = await file.bytes(Math.max(0, file.size - tailBytes), file.size);
  const at = tail.lastIndexOf('OggS', undefined, 'latin1');
  const granule = at === -1 || at + 14 > tail.length ? 0 : Number(tail.readBigInt64LE(at + 6));
  const seconds = granule / rate;
  return { container: 'Ogg', seconds: seconds > 0 && Number.isFinite(seconds) ? seconds : undefined };
}
