import { mpegFrames } from '../facts/mpeg-frames.ts';
import { countedFrames } from '../facts/mpeg-index.ts';
import { blockBytes, type RangedFile } from './ranged-file.ts';

/** Of MPEG audio by its first block: seconds where that counts its frames, or all in it have one rate of bits; undefined of what has neither. */
export async function rangedFrames(file: RangedFile) {
  const head = await file.bytes(0, blockBytes);
  const frames = [...mpegFrames(head)];
  const [first] = frames;
  if (!first) throw new Error('the file has no audio');
  const { container, samples, rate, at } = first;
  const secondsOf = (count: number) => (count * samples) / rate;
  const counted = countedFrames(head, first);
  if (counted !== undefined) return { container, seconds: secondsOf(counted) };
  if (file.size <= head.length) return { container, seconds: secondsOf(frames.length) };
  const bytes = frames.map((frame) => frame.bytes);
  // A frame is a byte or four longer where its rate is no multiple of the samples'.
  const isConstant = container === 'MPEG' && Math.max(...bytes) - Math.min(...bytes) <= 4;
  const mean = bytes.reduce((sum, length) => sum + length, 0) / bytes.length;
  return { container, seconds: isConstant ? secondsOf((file.size - at) / mean) : undefined };
}
