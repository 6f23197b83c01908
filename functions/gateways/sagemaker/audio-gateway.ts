import type { SpeechGateway } from '#domain/audio/speech.ts';
import type { TranscriptionGateway } from '#domain/audio/transcription.ts';
import { SpeechCall, transcribe } from './audio-calls.ts';
import type { ModelRuntime } from './runtime.ts';
import type { ModelGatewaySettings } from './served-model.ts';

/** Models of audio in containers behind SageMaker endpoints; each call is tried once. */
export function audioGateway(
  runtime: ModelRuntime,
  settings: ModelGatewaySettings,
): SpeechGateway & TranscriptionGateway {
  const context = { runtime, settings };
  return {
    speech: (model, request) => new SpeechCall(context, model, request),
    transcribe: (model, request) => transcribe(context, model, request),
  };
}
