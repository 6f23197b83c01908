import { operatorRoutes } from '#contract/routes/operators.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const listAccountRequests: Operation<typeof operatorRoutes.listAccountRequests> = async ({ operators }, { input }) =>
  (await operators()).reads().requests(input.path.id, input.query);

export const handler = endpoint(operatorRoutes.listAccountRequests, listAccountRequests);
