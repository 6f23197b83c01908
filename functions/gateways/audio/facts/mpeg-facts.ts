import type { AudioFacts } from '#domain/audio/transcription.ts';
import { mpegFrames } from './mpeg-frames.ts';
import { isFrameOfFacts } from './mpeg-index.ts';

/** Seconds of MPEG audio by all of its frames. Fails where it has none. */
export function mpegFacts(bytes: Uint8Array): AudioFacts {
  let container: string | undefined;
  let seconds = 0;
  for (const frame of mpegFrames(bytes)) {
    if (container === undefined && isFrameOfFacts(bytes, frame)) continue;
    container ??= frame.container;
    seconds += frame.samples / frame.rate;
  }
  if (container === undefined) throw new Error('the file has no audio');
  return { container, seconds };
}
