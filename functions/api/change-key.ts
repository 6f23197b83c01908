import { routes } from '#contract/routes.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const changeKey: Operation<typeof routes.changeKey> = ({ keys }, { input, caller }) =>
  keys().change(caller.accountId, input.path.id, input.body);

export const handler = endpoint(routes.changeKey, changeKey);
