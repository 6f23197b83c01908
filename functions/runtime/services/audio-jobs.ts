import { sagemakerClient } from '#aws/clients.ts';
import { s3Client } from '#aws/s3-client.ts';
import { jobOrders, uploadService } from '#domain/audio/job-order.ts';
import { jobEnding, jobEvents, jobSeconds, jobService } from '#domain/audio/job-service.ts';
import type { AudioRef } from '#domain/audio/job.ts';
import { transcriptionModel } from '#domain/audio/transcription.ts';
import { audioFiles } from '#gateways/audio/audio-files.ts';
import { longAudioModel } from '#gateways/sagemaker/long-audio.ts';
import { jobStore, purgeAudio } from '#repositories/audio/jobs.ts';
import { lazy } from '../process.ts';
import { logger } from '../telemetry.ts';
import type { CoreServices } from './core-services.ts';
import { dynamoClient } from './dynamo-client.ts';

export function audioJobs(core: CoreServices, enforceUploadLimit: (accountId: number) => Promise<void>) {
  const { clock, random, table, metering, environment } = core;
  const bucket = lazy(() => {
    const { AUDIO_BUCKET } = environment;
    if (AUDIO_BUCKET === undefined)
      throw new Error('AUDIO_BUCKET is not set: this function was not given the files of audio');
    return AUDIO_BUCKET;
  });
  const files = lazy(() => audioFiles(s3Client(), bucket()));
  const jobs = lazy(() => jobStore(dynamoClient(), table('transcriptions'), () => table('meters')));
  const model = lazy(() => {
    const { LONG_AUDIO_ENDPOINT: endpoint, MODEL_ENDPOINTS } = environment;
    const hosted = MODEL_ENDPOINTS.get(transcriptionModel)?.find((one) => one.kind === 'sagemaker');
    const servedName = hosted?.servedName;
    return longAudioModel(sagemakerClient(), { endpoint, bucket: bucket(), servedName, seconds: jobSeconds });
  });
  const ending = lazy(() => jobEnding({ jobs: jobs(), metering: metering(), clock }));
  return {
    upload: lazy(() => uploadService({ jobs: jobs(), files: files(), enforceUploadLimit, clock, random })),
    order: lazy(() => jobOrders({ jobs: jobs(), files: files(), clock })),
    jobs: lazy(() => {
      const onError = (error: unknown) =>
        logger().error('the work after the start of a transcription failed', { error });
      return jobService({
        jobs: jobs(),
        files: deferredFiles(files),
        model,
        ending: ending(),
        clock,
        random,
        onError,
      });
    }),
    events: lazy(() => {
      const onInvalid = (error: unknown) => logger().error('a transcription has an invalid reply', { error });
      return jobEvents({ jobs: jobs(), files: files(), model, ending: ending(), clock, onInvalid });
    }),
    purge: (accountId: AudioRef['accountId'], signal?: AbortSignal) =>
      purgeAudio(dynamoClient(), table('transcriptions'), accountId, (...keys) => files().remove(...keys), signal),
    bucket,
  };
}

type Files = ReturnType<typeof audioFiles>;

function deferredFiles(files: () => Files): Files {
  return {
    allowUpload: (...given) => files().allowUpload(...given),
    look: (...given) => files().look(...given),
    factsOf: (...given) => files().factsOf(...given),
    frame: (...given) => files().frame(...given),
    read: (...given) => files().read(...given),
    write: (...given) => files().write(...given),
    remove: (...given) => files().remove(...given),
  };
}
