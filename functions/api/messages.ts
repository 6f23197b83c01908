import type { messageRoutes } from '#contract/routes/messages.ts';
import type { MessageOrder } from '#domain/messages/message-service.ts';
import type { Operation, PricedOperation } from '#runtime/operation.ts';

export const getMessage: Operation<typeof messageRoutes.getMessage> = async ({ messages }, { input, caller }) =>
  (await messages()).list().get(caller.accountId, input.path.id);

export const listMessages: Operation<typeof messageRoutes.listMessages> = async ({ messages }, { input, caller }) =>
  (await messages()).list().list(caller.accountId, input.query);

export const sendMessage: PricedOperation<typeof messageRoutes.sendMessage, MessageOrder> = {
  order: async ({ messages }, body) => (await messages()).order(body),
  run: async ({ messages }, call) => {
    const { order, caller, claim, openHold, setCost } = call;
    const { sending } = await messages();
    const { body, cost } = await sending.send(order, { accountId: caller.accountId, claim, openHold });
    setCost(cost);
    return body;
  },
};
