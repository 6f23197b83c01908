import { routes } from '#contract/routes.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const createKey: Operation<typeof routes.createKey> = ({ keys }, { input, caller }) =>
  keys().create(caller.accountId, input.body);

export const handler = endpoint(routes.createKey, createKey);
