import type { AudioFacts } from '#domain/audio/transcription.ts';
import { afterTags, certainFactor } from './facts/after-tags.ts';
import { flacFacts, isFlac } from './facts/flac-facts.ts';
import { isMatroska, matroskaFacts } from './facts/matroska-facts.ts';
import { mp4Facts } from './facts/mp4-facts.ts';
import { mpegFacts } from './facts/mpeg-facts.ts';
import { isOgg, oggFacts } from './facts/ogg-facts.ts';
import { isWav, wavFacts } from './facts/wav-facts.ts';

/** Maximum seconds of 4 MiB at any bit rate of speech. Only a false header exceeds it. */
const daySeconds = 24 * 60 * 60;

/** MP4 begins with a box of this type. */
const beginsWithBoxes = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(8, bytes.byteLength)).toString('latin1', 4) === 'ftyp';

/**
 * Identifies a file by its first bytes, not by its name. Its seconds are those of its frames or its header, whichever
 * are more. Skips tags and comments. Takes time linear in the size of the file.
 */
export async function audioFacts(file: Uint8Array): Promise<AudioFacts> {
  const bytes = afterTags(file);
  const { container, seconds, maxSeconds = 0 } = factsOf(bytes, bytes !== file);
  if (!(seconds > 0 && seconds <= daySeconds)) throw new Error('the audio has no duration');
  const isUncertain = maxSeconds > certainFactor * seconds;
  return { container, seconds, ...(isUncertain && { maxSeconds: Math.min(maxSeconds, daySeconds) }) };
}

function factsOf(bytes: Uint8Array, hasTag: boolean): AudioFacts {
  if (isMatroska(bytes)) return matroskaFacts(bytes);
  if (isWav(bytes)) return wavFacts(bytes);
  if (isFlac(bytes)) return flacFacts(bytes);
  if (isOgg(bytes)) return oggFacts(bytes);
  if (beginsWithBoxes(bytes)) return mp4Facts(bytes);
  // MPEG audio frames begin with eight set bits (ISO 11172-3, ISO 13818-7), but may follow a tag.
  if (bytes[0] !== 0xff && !hasTag) throw new Error('the file has no audio');
  return mpegFacts(bytes);
}
