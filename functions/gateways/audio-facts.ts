import { parseFromTokenizer } from 'music-metadata';
import { fromBuffer } from 'strtok3/core';
import type { AudioFacts } from '#domain/audio/transcription.ts';
import { fragmentedMp4Facts } from './audio/fragmented-mp4-facts.ts';
import { isMatroska, matroskaFacts } from './audio/matroska-facts.ts';

/**
 * Reads of a file, at most. Frames are read one by one, six reads each: 4 MiB of AAC at 16 kbit a second are 550,000. The parts of other
 * files are few: WebM of that size and rate takes 10,000, and one of empty parts within each other half a gigabyte.
 */
const maxReads = { frames: 600_000, parts: 60_000 } as const;

/** Frames of MPEG audio begin with the first (ISO 11172-3, ISO 13818-7), and a tag before them with the second. */
const beginsWithFrames = (bytes: Uint8Array): boolean =>
  bytes[0] === 0xff || Buffer.from(bytes.buffer, bytes.byteOffset, 3).toString('latin1') === 'ID3';

/** MP4 begins with a box of this type. */
const beginsWithBoxes = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(8, bytes.byteLength)).toString('latin1', 4) === 'ftyp';

/**
 * Reads a file by what it begins with, not by what it is called, and its seconds by its frames where no header has them. What browsers
 * record has none: the library refuses their WebM, and names the first fragment's seconds of their MP4.
 */
export async function audioFacts(bytes: Uint8Array): Promise<AudioFacts> {
  if (isMatroska(bytes)) return matroskaFacts(bytes);
  const recorded = beginsWithBoxes(bytes) ? fragmentedMp4Facts(bytes) : undefined;
  if (recorded) return recorded;
  const limit = beginsWithFrames(bytes) ? maxReads.frames : maxReads.parts;
  const tokenizer = bounded(fromBuffer(bytes), limit);
  const { format } = await parseFromTokenizer(tokenizer, { duration: true, skipCovers: true });
  const { container, duration, hasAudio } = format;
  if (container === undefined || hasAudio === false) throw new Error('the file has no audio');
  if (duration === undefined || !(duration > 0) || !Number.isFinite(duration))
    throw new Error('the audio has no duration');
  return { container, seconds: duration };
}

/** The same, which fails after so many reads: what a parser does, and how deep it goes, takes reads. */
function bounded<Tokenizer extends object>(tokenizer: Tokenizer, limit: number): Tokenizer {
  let reads = 0;
  return new Proxy(tokenizer, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...parameters: unknown[]): unknown => {
        reads += 1;
        if (reads > limit) throw new Error('the file has more parts than audio has');
        return Reflect.apply(value, target, parameters);
      };
    },
    set: (target, name, value) => Reflect.set(target, name, value, target),
  });
}
