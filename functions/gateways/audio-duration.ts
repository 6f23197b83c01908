import { parseBuffer } from 'music-metadata';
import { type SpeechFormat, speechFormats } from '#contract/audio/speech.ts';

/** Bytes of a second of `pcm`. */
const pcmBytesPerSecond = 48_000;

/** Seconds that an audio file lasts, from its header or its frames. Fails where it is not of this format. */
export async function audioDuration(bytes: Buffer, format: SpeechFormat): Promise<number> {
  if (format === 'pcm') return bytes.length / pcmBytesPerSecond;
  const [mimeType = ''] = speechFormats[format].split(';', 1);
  const { format: found } = await parseBuffer(bytes, { mimeType }, { duration: true, skipCovers: true });
  if (found.duration === undefined) throw new Error('the audio has no duration');
  return found.duration;
}
