import { keyRoutes } from '#contract/routes/keys.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const rotateKey: Operation<typeof keyRoutes.rotateKey> = ({ keys }, { input, caller }) =>
  keys().rotate(caller.accountId, input.path.id, input.body.graceSeconds);

export const handler = endpoint(keyRoutes.rotateKey, rotateKey);
