import { keyRoutes } from '#contract/routes/keys.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const createKey: Operation<typeof keyRoutes.createKey> = ({ keys }, { input, caller }) =>
  keys().create(caller.accountId, input.body);

export const handler = endpoint(keyRoutes.createKey, createKey);
