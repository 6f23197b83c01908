import { audioRoutes } from '#contract/routes/audio.ts';
import type { JobOrder } from '#domain/audio/jobs/job-order.ts';
import { transcriptionModel } from '#domain/audio/transcription.ts';
import type { OpenOrderOf, PricedOperation } from '#runtime/endpoints/operation.ts';
import { pricedEndpoint } from '#runtime/endpoints/priced-endpoint.ts';

type Route = typeof audioRoutes.createTranscriptionJob;

const openJob: OpenOrderOf<Route, JobOrder> = async ({ audioJobs }, { input, caller, prove }) =>
  (await audioJobs()).order()(caller.accountId, input.body, prove);

const createJob: PricedOperation<Route, JobOrder> = async ({ audioJobs }, { caller, order, openHold }) =>
  (await audioJobs()).jobs().create(caller.accountId, order, openHold);

export const handler = pricedEndpoint(audioRoutes.createTranscriptionJob, undefined, createJob, {
  open: openJob,
  modelOf: () => transcriptionModel,
});
