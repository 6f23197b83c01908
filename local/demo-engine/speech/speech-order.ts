import * as v from 'valibot';
import type { SpeechFormat } from '#contract/audio/speech.ts';

/** Formats that can be made here: for the others there is no encoder, and none is named what is another. */
export const demoSpeechFormats = ['mp3', 'wav', 'pcm'] as const satisfies readonly SpeechFormat[];

/** What the process that speaks is sent. */
export const SpeechOrder = v.object({
  text: v.string(),
  voice: v.picklist(['alloy', 'echo', 'fable', 'onyx', 'nova', 'shimmer']),
  format: v.picklist(demoSpeechFormats, `must be one of ${demoSpeechFormats.join(', ')}`),
  speed: v.number(),
});
export type SpeechOrder = v.InferOutput<typeof SpeechOrder>;
