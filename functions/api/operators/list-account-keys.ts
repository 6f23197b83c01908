import { operatorRoutes } from '#contract/routes/operators.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const listAccountKeys: Operation<typeof operatorRoutes.listAccountKeys> = async ({ operators }, { input }) =>
  (await operators()).reads().keys(input.path.id);

export const handler = endpoint(operatorRoutes.listAccountKeys, listAccountKeys);
