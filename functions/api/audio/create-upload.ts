import { audioRoutes } from '#contract/routes/audio.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const createUpload: Operation<typeof audioRoutes.createUpload> = async ({ audioJobs }, { input, caller }) =>
  (await audioJobs()).upload()(caller.accountId, input.body);

export const handler = endpoint(audioRoutes.createUpload, createUpload);
