import { inferenceRoutes } from '#contract/routes/inference.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const cancelRequest: Operation<typeof inferenceRoutes.cancelRequest> = ({ cancellations }, { input, caller }) =>
  cancellations().cancel(caller.accountId, input.path.requestId);

export const handler = endpoint(inferenceRoutes.cancelRequest, cancelRequest);
