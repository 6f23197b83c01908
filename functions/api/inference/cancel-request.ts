import { inferenceRoutes } from '#contract/routes/inference/inference.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const cancelRequest: Operation<typeof inferenceRoutes.cancelRequest> = async ({ cancellations }, { input, caller }) =>
  (await cancellations()).cancel(caller.accountId, input.path.requestId);

export const handler = endpoint(inferenceRoutes.cancelRequest, cancelRequest);
