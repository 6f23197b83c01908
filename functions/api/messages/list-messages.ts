import { messageRoutes } from '#contract/routes/messages.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const listMessages: Operation<typeof messageRoutes.listMessages> = async ({ messages }, { input, caller }) =>
  (await messages()).list().list(caller.accountId, input.query);

export const handler = endpoint(messageRoutes.listMessages, listMessages);
