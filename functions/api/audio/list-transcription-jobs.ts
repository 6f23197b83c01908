import { audioRoutes } from '#contract/routes/audio.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const listJobs: Operation<typeof audioRoutes.listTranscriptionJobs> = async ({ audioJobs }, { input, caller }) =>
  (await audioJobs()).jobs().list(caller.accountId, input.query);

export const handler = endpoint(audioRoutes.listTranscriptionJobs, listJobs);
