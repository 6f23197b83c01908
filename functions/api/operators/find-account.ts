import { operatorRoutes } from '#contract/routes/operators.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const findAccount: Operation<typeof operatorRoutes.findAccount> = ({ operators }, { input }) =>
  operators().find(input.query.email);

export const handler = endpoint(operatorRoutes.findAccount, findAccount);
