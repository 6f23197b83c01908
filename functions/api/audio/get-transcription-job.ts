import { audioRoutes } from '#contract/routes/audio.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const getJob: Operation<typeof audioRoutes.getTranscriptionJob> = async ({ audioJobs }, { input, caller }) =>
  (await audioJobs()).jobs().get(caller.accountId, input.path.id);

export const handler = endpoint(audioRoutes.getTranscriptionJob, getJob);
