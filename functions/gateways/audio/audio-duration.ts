import type { SpeechFormat } from '#contract/audio/speech.ts';
import { audioFacts } from './audio-facts.ts';

/** Bytes of a second of `pcm`. */
const pcmBytesPerSecond = 48_000;

/** Seconds that an audio file lasts, read as those of callers are: a model's file may lie as well. */
export async function audioDuration(bytes: Buffer, format: SpeechFormat): Promise<number> {
  return format === 'pcm' ? bytes.length / pcmBytesPerSecond : (await audioFacts(bytes)).seconds;
}
