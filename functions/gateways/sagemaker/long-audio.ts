import { InvokeEndpointAsyncCommand, type SageMakerRuntimeClient } from '@aws-sdk/client-sagemaker-runtime';
import type { LongAudioModel } from '#domain/audio/job.ts';
import { transcriptionModel } from '#domain/audio/transcription.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import { serviceErrorOf } from './errors.ts';
import { whisperx, whisperxForm } from './whisperx.ts';

export interface LongAudioSettings {
  readonly endpoint: string | undefined;
  readonly bucket: string;
  readonly servedName?: string | undefined;
  /** Maximum of a job in the queue, and of the model's work on it. */
  readonly seconds: { readonly waiting: number; readonly working: number };
}

/**
 * Base time of a job in seconds. Twice the paid seconds are added, which limits the model's work on a file with a false
 * header.
 */
const minWorkingSeconds = 300;

/** WhisperX behind an asynchronous endpoint of SageMaker (docs/adr/0023-long-audio.md). */
export function longAudioModel(client: SageMakerRuntimeClient, settings: LongAudioSettings): LongAudioModel {
  const { endpoint, bucket, servedName, seconds } = settings;
  return {
    frame: (request) => whisperxForm(request, servedName),
    async start({ accountId, id }, { key, contentType, seconds: paid }) {
      if (!endpoint) throw new ServiceError('SERVICE_UNAVAILABLE', 'Transcription of long audio is not available.');
      try {
        await client.send(
          new InvokeEndpointAsyncCommand({
            EndpointName: endpoint,
            InputLocation: `s3://${bucket}/${key}`,
            ContentType: contentType,
            Accept: 'application/json',
            InferenceId: `${accountId}-${id}`,
            RequestTTLSeconds: seconds.waiting,
            InvocationTimeoutSeconds: Math.min(seconds.working, minWorkingSeconds + 2 * paid),
          }),
        );
      } catch (error) {
        throw serviceErrorOf(error, transcriptionModel, false);
      }
    },
    transcriptOf(reply) {
      const dialect = whisperx.transcription;
      if (!dialect) throw new Error('the container transcribes nothing');
      return dialect.reply(JSON.parse(reply.toString()));
    },
  };
}
