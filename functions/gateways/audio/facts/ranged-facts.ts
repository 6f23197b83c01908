import { rangedFlac } from '../ranged/flac.ts';
import { rangedFrames } from '../ranged/frames.ts';
import { rangedMatroska } from '../ranged/matroska.ts';
import { rangedMp4 } from '../ranged/mp4.ts';
import { rangedOgg } from '../ranged/ogg.ts';
import { rangedFile, type RangedFile, type ReadRange } from '../ranged/ranged-file.ts';
import { rangedWav } from '../ranged/wav.ts';
import { certainFactor, tagLength } from './after-tags.ts';
import { isFlac } from './flac-facts.ts';
import { isMatroska } from './matroska-facts.ts';
import { isOgg } from './ogg-facts.ts';
import { isWav } from './wav-facts.ts';

export interface RangedFacts {
  readonly container: string;
  readonly seconds: number | undefined;
  /** The most that it may last, if its content contradicts its header. */
  readonly maxSeconds?: number | undefined;
}

/** Bytes by which every format shows itself. */
const signatureBytes = 64;

/**
 * What a file is and how long, by a few of its blocks; what is in tags and comments is not read. `seconds` is undefined where only all of it has them.
 * Rejects what is no audio.
 */
export async function rangedFacts(size: number, read: ReadRange): Promise<RangedFacts> {
  const whole = rangedFile(size, read);
  const file = await afterTags(whole);
  const { container, seconds, maxSeconds = 0 } = await factsOf(file, file !== whole);
  if (seconds !== undefined && !(seconds > 0 && Number.isFinite(seconds))) throw new Error('the audio has no duration');
  const isUncertain = Number.isFinite(maxSeconds) && maxSeconds > certainFactor * (seconds ?? 0);
  return { container, seconds, ...(isUncertain && { maxSeconds }) };
}

async function afterTags(file: RangedFile): Promise<RangedFile> {
  const length = tagLength(await file.bytes(0, signatureBytes));
  return length === 0 ? file : afterTags(file.from(length));
}

async function factsOf(file: RangedFile, hasTag: boolean): Promise<RangedFacts> {
  const head = await file.bytes(0, signatureBytes);
  if (isMatroska(head)) return rangedMatroska(file);
  if (isWav(head)) return rangedWav(file);
  if (isFlac(head)) return rangedFlac(file);
  if (isOgg(head)) return rangedOgg(file);
  if (head.toString('latin1', 4, 8) === 'ftyp') return rangedMp4(file);
  // Frames of MPEG audio begin with eight bits that are set (ISO 11172-3, ISO 13818-7), but may stand some way behind a tag.
  if (head[0] !== 0xff && !hasTag) throw new Error('the file has no audio');
  return rangedFrames(file);
}
