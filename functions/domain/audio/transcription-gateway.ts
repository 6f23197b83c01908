import type { TranscriptSegment, TranscriptWord } from '#contract/audio/transcription.ts';

/** An audio file for a model that writes down what is spoken. */
export interface ModelTranscriptionRequest {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  readonly language?: string | undefined;
  readonly prompt?: string | undefined;
  readonly temperature?: number | undefined;
  readonly words: boolean;
}

/** Times in seconds; `duration` as the model has measured it, where it does. */
export interface ModelTranscript {
  readonly text: string;
  readonly language?: string | null | undefined;
  readonly duration?: number | null | undefined;
  readonly segments: readonly TranscriptSegment[];
  readonly words: readonly TranscriptWord[];
}

/** The models that recognise speech; failures are those of every model. */
export interface TranscriptionGateway {
  transcribe(model: string, request: ModelTranscriptionRequest): Promise<ModelTranscript>;
}
