import { bucketPeaks } from './peaks.ts';

/** The lowest rates that browsers decode to: the waveform needs no more, and hours would fill the memory. */
const rates = [8000, 44_100] as const;

/** More than a screen has room for. */
const maxPeaks = 2000;

export interface DecodedAudio {
  readonly seconds: number;
  /** The loudest of each part, from 0 to 1. */
  readonly peaks: readonly number[];
}

/** Length and waveform of an audio file; null where the browser cannot decode it, as not every format is known to each. */
export async function decodeAudio(file: Blob): Promise<DecodedAudio | null> {
  const buffer = await decoded(file);
  if (!buffer) return null;
  return { seconds: buffer.duration, peaks: bucketPeaks(buffer.getChannelData(0), maxPeaks) };
}

async function decoded(file: Blob): Promise<AudioBuffer | undefined> {
  for (const rate of rates) {
    try {
      // What is decoded is taken away from its owner.
      return await new OfflineAudioContext(1, 1, rate).decodeAudioData(await file.arrayBuffer());
    } catch {
      // Some browsers have no such rate.
    }
  }
  return undefined;
}
