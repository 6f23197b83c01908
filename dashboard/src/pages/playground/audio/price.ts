import { prices } from '#contract/billing/prices.ts';

/** What a text costs to speak: per started unit. */
export function speechCredits(characters: number): number {
  const { credits, unitSize } = prices.audio;
  return Math.ceil(characters / unitSize) * credits;
}

/** What audio costs to transcribe: per started second. */
export function transcriptionCredits(seconds: number): number {
  const { credits, unitSize } = prices.transcription;
  return (Math.max(1, Math.ceil(seconds)) * credits) / unitSize;
}
