import * as v from 'valibot';
import type { SpeechFormat } from '#contract/audio/speech.ts';
import { maxSegmentCharacters } from '#contract/audio/transcription.ts';

/** Formats with an encoder on this machine. */
export const demoSpeechFormats = ['mp3', 'wav', 'pcm'] as const satisfies readonly SpeechFormat[];

export const SpeechOrder = v.object({
  text: v.string(),
  voice: v.picklist(['alloy', 'echo', 'fable', 'onyx', 'nova', 'shimmer']),
  format: v.picklist(demoSpeechFormats, `must be one of ${demoSpeechFormats.join(', ')}`),
  speed: v.number(),
});
export type SpeechOrder = v.InferOutput<typeof SpeechOrder>;

const spoken = v.pipe(v.string(), v.maxLength(maxSegmentCharacters));

/** Times are in seconds from the beginning of the file. */
const Transcript = v.object({
  text: v.string(),
  segments: v.array(v.object({ start: v.number(), end: v.number(), text: spoken })),
  words: v.array(v.object({ start: v.number(), end: v.number(), word: spoken })),
});
export type Transcript = v.InferOutput<typeof Transcript>;

const [begin, end] = ['text-ai-transcript:', ';'];

export const encodeTranscript = (transcript: Transcript): Buffer =>
  Buffer.from(`${begin}${Buffer.from(JSON.stringify(transcript)).toString('base64')}${end}`, 'latin1');

export function decodeTranscript(file: Buffer): Transcript | undefined {
  const from = file.lastIndexOf(begin, undefined, 'latin1');
  const to = file.indexOf(end, from, 'latin1');
  if (from === -1 || to === -1) return undefined;
  try {
    const text = Buffer.from(file.toString('latin1', from + begin.length, to), 'base64').toString();
    return v.parse(Transcript, JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Joins consecutive parts. The words of a part share its time, without the pauses, in proportion to their letters. */
export function transcriptOf(parts: readonly { readonly text: string; readonly seconds: number }[]): Transcript {
  const segments: Transcript['segments'] = [];
  const words: Transcript['words'] = [];
  let start = 0;
  for (const { text, seconds } of parts) {
    const end = start + seconds;
    segments.push({ start: ms(start), end: ms(end), text: text.trim() });
    const pause = Math.min(0.2, seconds / 8);
    const spoken = text.trim().split(/\s+/);
    const letters = spoken.reduce((sum, word) => sum + word.length, 0);
    let at = start + pause;
    for (const word of spoken) {
      const length = ((seconds - 2 * pause) * word.length) / letters;
      words.push({ start: ms(at), end: ms(at + length), word });
      at += length;
    }
    start = end;
  }
  return { text: segments.map(({ text }) => text).join(' '), segments, words };
}

const ms = (seconds: number): number => Math.round(seconds * 1000) / 1000;

/** Beginning of the names of folders that a speech process writes to and removes. */
export const speechFolder = 'text-ai-speech-';
