import { creditRoutes } from '#contract/routes/credits.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const listRequests: Operation<typeof creditRoutes.listRequests> = ({ requestLog }, { input, caller }) =>
  requestLog().list(caller.accountId, input.query);

export const handler = endpoint(creditRoutes.listRequests, listRequests);
