import { creditRoutes } from '#contract/routes/billing/credits.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const listRequests: Operation<typeof creditRoutes.listRequests> = async ({ requestLog }, { input, caller }) =>
  (await requestLog()).list(caller.accountId, input.query);

export const handler = endpoint(creditRoutes.listRequests, listRequests);
