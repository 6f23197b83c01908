import { keyRoutes } from '#contract/routes/keys.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { InputCheck, Operation } from '#runtime/endpoints/operation.ts';

const changeKey: Operation<typeof keyRoutes.changeKey> = ({ keys }, { input, caller }) =>
  keys().change(caller.accountId, input.path.id, input.body);

const checkExpiry: InputCheck<typeof keyRoutes.changeKey> = ({ keys }, { input }) =>
  keys().checkExpiry(input.body.expiresAt);

export const handler = endpoint(keyRoutes.changeKey, changeKey, checkExpiry);
