import { routes } from '#contract/routes.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const revokeKey: Operation<typeof routes.revokeKey> = ({ keys }, { input, caller }) =>
  keys().revoke(caller.accountId, input.path.id);

export const handler = endpoint(routes.revokeKey, revokeKey);
