import type { SpeechFormat } from '#contract/audio/speech.ts';

/** What a file of speech is called. */
export const speechFile = (format: SpeechFormat = 'mp3'): string => `speech.${format}`;
