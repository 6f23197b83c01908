import { bucketPeaks } from './peaks.ts';

/** The lowest rates that browsers decode to: the waveform needs no more, and hours would fill the memory. */
const rates = [8000, 44_100] as const;

/** A minute of what is decoded has some 4 MB: hours of it would fill the memory. */
const maxDecodedBytes = 32 * 1024 * 1024;

/** More than a screen has room for. */
const maxPeaks = 2000;

export interface DecodedAudio {
  readonly seconds: number;
  /** The loudest of each part, from 0 to 1; a line of a file that is too long for it. */
  readonly peaks: readonly number[];
}

/** Length and waveform of an audio file; null where the browser cannot decode it, as not every format is known to each. */
export async function decodeAudio(file: Blob): Promise<DecodedAudio | null> {
  if (file.size > maxDecodedBytes) return measured(file);
  const buffer = await decoded(file);
  if (!buffer) return null;
  return { seconds: buffer.duration, peaks: bucketPeaks(buffer.getChannelData(0), maxPeaks) };
}

/** The length that its header has. */
function measured(file: Blob): Promise<DecodedAudio | null> {
  const { promise, resolve } = Promise.withResolvers<DecodedAudio | null>();
  const audio = new Audio();
  const address = URL.createObjectURL(file);
  const end = (): void => {
    const { duration } = audio;
    resolve(Number.isFinite(duration) ? { seconds: duration, peaks: Array<number>(maxPeaks).fill(0) } : null);
    audio.removeAttribute('src');
    URL.revokeObjectURL(address);
  };
  audio.addEventListener('loadedmetadata', end, { once: true });
  audio.addEventListener('error', end, { once: true });
  audio.preload = 'metadata';
  audio.src = address;
  return promise;
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
