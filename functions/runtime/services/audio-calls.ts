import { speechService } from '#domain/audio/speech.ts';
import { transcriptionService } from '#domain/audio/transcription.ts';
import { audioGateway } from '#gateways/sagemaker/audio-gateway.ts';
import type { ModelRuntime } from '#gateways/sagemaker/runtime.ts';
import type { ModelGatewaySettings } from '#gateways/sagemaker/served-model.ts';
import { lazy } from '../process.ts';

export const loadAudioFacts = lazy(async () => (await import('#gateways/audio/audio-facts.ts')).audioFacts);
export const loadRangedFacts = lazy(async () => (await import('#gateways/audio/audio-facts.ts')).rangedFacts);

export function audioServices(runtime: ModelRuntime, settings: ModelGatewaySettings) {
  const gateway = audioGateway(runtime, settings);
  const loadDuration = lazy(async () => (await import('#gateways/audio/audio-facts.ts')).audioDuration);
  return {
    speech: speechService(gateway, async (...file) => (await loadDuration())(...file)),
    transcription: transcriptionService(gateway, async (bytes) => (await loadAudioFacts())(bytes)),
  };
}
