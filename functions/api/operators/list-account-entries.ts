import { operatorRoutes } from '#contract/routes/operators.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const listAccountEntries: Operation<typeof operatorRoutes.listAccountEntries> = async ({ operators }, { input }) =>
  (await operators()).reads().entries(input.path.id, input.query);

export const handler = endpoint(operatorRoutes.listAccountEntries, listAccountEntries);
