import { audioRoutes } from '#contract/routes/audio.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const deleteJob: Operation<typeof audioRoutes.deleteTranscriptionJob> = async ({ audioJobs }, { input, caller }) =>
  (await audioJobs()).jobs().remove(caller.accountId, input.path.id);

export const handler = endpoint(audioRoutes.deleteTranscriptionJob, deleteJob);
