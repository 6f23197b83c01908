import { mpegFacts } from '../facts/mpeg-facts.ts';
import { mpegFrames } from '../facts/mpeg-frames.ts';
import { countedFrames } from '../facts/mpeg-index.ts';
import { blockBytes, estimated, type RangedFile } from './ranged-file.ts';

/**
 * Reads MPEG audio by its first block: its frame count, or the file size if the bit rate is constant; undefined seconds
 * without either.
 */
export async function rangedFrames(file: RangedFile) {
  const head = await file.bytes(0, blockBytes);
  const frames = [...mpegFrames(head)];
  const [first] = frames;
  if (!first) throw new Error('the file has no audio');
  const { container, samples, rate, at } = first;
  const secondsOf = (count: number) => (count * samples) / rate;
  const counted = countedFrames(head, first);
  if (counted === undefined && file.size <= head.length) return mpegFacts(head);
  const bytes = frames.map((frame) => frame.bytes);
  // A frame is up to four bytes longer if the bit rate is not a multiple of the sample rate.
  const isConstant = container === 'MPEG' && Math.max(...bytes) - Math.min(...bytes) <= 4;
  const mean = bytes.reduce((sum, length) => sum + length, 0) / bytes.length;
  const bySize = secondsOf((file.size - at) / mean);
  if (counted === undefined) return { container, seconds: isConstant ? bySize : undefined };
  const seconds = secondsOf(counted);
  return { container, seconds, maxSeconds: estimated(file, file.size, bySize, seconds) };
}
