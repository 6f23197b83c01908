import type { SpeechGateway } from '#domain/audio/speech-gateway.ts';
import type { TranscriptionGateway } from '#domain/audio/transcription-gateway.ts';
import { SpeechCall } from './calls/speech-call.ts';
import { transcribe } from './calls/transcription-call.ts';
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
