import { keyRoutes } from '#contract/routes/keys.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const revokeKey: Operation<typeof keyRoutes.revokeKey> = ({ keys }, { input, caller }) =>
  keys().revoke(caller.accountId, input.path.id);

export const handler = endpoint(keyRoutes.revokeKey, revokeKey);
