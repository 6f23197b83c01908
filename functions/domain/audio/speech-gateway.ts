import type { SpeechFormat, Voice } from '#contract/audio/speech.ts';
import type { ModelCall } from '../inference/model-gateway.ts';

/** A text for a speech model, as the request of OpenAI's speech API that its container takes. */
export interface ModelSpeechRequest {
  readonly input: string;
  readonly voice: Voice;
  readonly response_format: SpeechFormat;
  readonly speed: number;
}

/** The models that speak; failures are those of every model. */
export interface SpeechGateway {
  speech(model: string, request: ModelSpeechRequest): ModelCall<AudioStream>;
}

/** To be read immediately: its time runs from the beginning. */
export interface AudioStream {
  /** The file's bytes in order, in pieces of any size; at least one. */
  readonly chunks: AsyncGenerator<Buffer>;
  /** Ends the model's work. */
  readonly cancel: () => void;
}
