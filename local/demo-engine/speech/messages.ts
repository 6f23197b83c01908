import type { Voice } from '#contract/audio/speech.ts';

export interface SpeechOrder {
  readonly text: string;
  readonly voice: Voice;
  readonly format: 'mp3' | 'wav' | 'pcm';
  readonly speed: number;
}

/** What the process that speaks is sent. */
export type ToChild =
  | { readonly id: number; readonly kind: 'speak'; readonly order: SpeechOrder }
  | { readonly id: number; readonly kind: 'stop' };

/** What it sends of each. */
export type FromChild =
  | { readonly id: number; readonly kind: 'audio'; readonly bytes: Uint8Array }
  | { readonly id: number; readonly kind: 'end' }
  | { readonly id: number; readonly kind: 'failed'; readonly reason: string };
