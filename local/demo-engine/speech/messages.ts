import type { Voice } from '#contract/audio/speech.ts';

/** Orders to the thread that speaks. */
export type ToWorker =
  | {
      readonly id: number;
      readonly kind: 'speak';
      readonly text: string;
      readonly voice: Voice;
      readonly format: 'mp3' | 'wav' | 'pcm';
      readonly speed: number;
    }
  | { readonly id: number; readonly kind: 'stop' };

/** What it sends of each. */
export type FromWorker =
  | { readonly id: number; readonly kind: 'audio'; readonly bytes: Uint8Array }
  | { readonly id: number; readonly kind: 'end' }
  | { readonly id: number; readonly kind: 'failed'; readonly reason: string };
