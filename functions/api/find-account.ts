import { routes } from '#contract/routes.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const findAccount: Operation<typeof routes.findAccount> = ({ operators }, { input }) =>
  operators().find(input.query.email);

export const handler = endpoint(routes.findAccount, findAccount);
