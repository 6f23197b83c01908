import { parseFromTokenizer } from 'music-metadata';
import { fromBuffer, type ITokenizer } from 'strtok3/core';
import type { AudioFacts } from '#domain/audio/transcription.ts';
import { afterTags } from './facts/after-tags.ts';
import { flacFacts, isFlac } from './facts/flac-facts.ts';
import { fragmentedMp4Facts } from './facts/fragmented-mp4-facts.ts';
import { isMatroska, matroskaFacts } from './facts/matroska-facts.ts';
import { mpegFacts } from './facts/mpeg-facts.ts';
import { isOgg, oggFacts } from './facts/ogg-facts.ts';
import { isWav, wavFacts } from './facts/wav-facts.ts';

/** Reads of a file, at most: the parts of it are few. */
const maxReads = 60_000;

/** More is none that 4 MiB have at any rate of speech, but what a header has that lies. */
const maxSeconds = 24 * 60 * 60;

/** MP4 begins with a box of this type. */
const beginsWithBoxes = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(8, bytes.byteLength)).toString('latin1', 4) === 'ftyp';

/**
 * Reads a file by what it begins with, not by what it is called, and its seconds by its frames where no header has them. What is in tags
 * and comments is not read.
 */
export async function audioFacts(file: Uint8Array): Promise<AudioFacts> {
  const bytes = afterTags(file);
  const facts = await factsOf(bytes, bytes !== file);
  if (!(facts.seconds > 0 && facts.seconds <= maxSeconds)) throw new Error('the audio has no duration');
  return facts;
}

/** The library reads MP4 that is in one piece. Frames of MPEG may stand some way behind a tag. */
async function factsOf(bytes: Uint8Array, hasTag: boolean): Promise<AudioFacts> {
  if (isMatroska(bytes)) return matroskaFacts(bytes);
  if (isWav(bytes)) return wavFacts(bytes);
  if (isFlac(bytes)) return flacFacts(bytes);
  if (isOgg(bytes)) return oggFacts(bytes);
  if (!beginsWithBoxes(bytes)) return frameFacts(bytes, hasTag);
  return fragmentedMp4Facts(bytes) ?? read(fromBuffer(bytes));
}

/** Frames of MPEG audio begin with eight bits that are set (ISO 11172-3, ISO 13818-7). */
function frameFacts(bytes: Uint8Array, hasTag: boolean): AudioFacts {
  if (bytes[0] !== 0xff && !hasTag) throw new Error('the file has no audio');
  return mpegFacts(bytes);
}

async function read(tokenizer: ITokenizer): Promise<AudioFacts> {
  const options = { duration: true, skipCovers: true, skipPostHeaders: true };
  const { format } = await parseFromTokenizer(bounded(tokenizer), options);
  const { container, duration, hasAudio } = format;
  if (container === undefined || duration === undefined || hasAudio === false) throw new Error('the file has no audio');
  return { container, seconds: duration };
}

/** The same, which fails after so many reads: what a parser does, and how deep it goes, takes reads. */
function bounded<Tokenizer extends object>(tokenizer: Tokenizer): Tokenizer {
  let reads = 0;
  return new Proxy(tokenizer, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...parameters: unknown[]): unknown => {
        reads += 1;
        if (reads > maxReads) throw new Error('the file has more parts than audio has');
        return Reflect.apply(value, target, parameters);
      };
    },
    set: (target, name, value) => Reflect.set(target, name, value, target),
  });
}
