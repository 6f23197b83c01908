import { keyRoutes } from '#contract/routes/keys.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { InputCheck, Operation } from '#runtime/endpoints/operation.ts';

const createKey: Operation<typeof keyRoutes.createKey> = ({ keys }, { input, caller }) =>
  keys().create(caller.accountId, input.body);

const checkExpiry: InputCheck<typeof keyRoutes.createKey> = ({ keys }, { input }) =>
  keys().checkExpiry(input.body.expiresAt);

export const handler = endpoint(keyRoutes.createKey, createKey, checkExpiry);
