import { messageRoutes } from '#contract/routes/messages.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const getMessage: Operation<typeof messageRoutes.getMessage> = async ({ messages }, { input, caller }) =>
  (await messages()).list().get(caller.accountId, input.path.id);

export const handler = endpoint(messageRoutes.getMessage, getMessage);
