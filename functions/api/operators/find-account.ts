import { operatorRoutes } from '#contract/routes/operators.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const findAccount: Operation<typeof operatorRoutes.findAccount> = async ({ operators }, { input }) =>
  (await operators()).search().find(input.query);

export const handler = endpoint(operatorRoutes.findAccount, findAccount);
