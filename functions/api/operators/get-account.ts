import { operatorRoutes } from '#contract/routes/operators.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const getAccount: Operation<typeof operatorRoutes.getAccount> = async ({ operators }, { input }) =>
  (await operators()).reads().details(input.path.id);

export const handler = endpoint(operatorRoutes.getAccount, getAccount);
