import { messageRoutes } from '#contract/routes/messages.ts';
import type { MessageOrder } from '#domain/messages/message-order.ts';
import type { OrderOf, PricedOperation } from '#runtime/endpoints/operation.ts';
import { pricedEndpoint } from '#runtime/endpoints/priced-endpoint.ts';

type Route = typeof messageRoutes.sendMessage;

const orderMessage: OrderOf<Route, MessageOrder> = async ({ messages }, body) => (await messages()).order(body);

const sendMessage: PricedOperation<Route, MessageOrder> = async ({ messages }, call) => {
  const { order, caller, claim, openHold, setCost } = call;
  const { sending } = await messages();
  const { body, cost } = await sending.send(order, { accountId: caller.accountId, claim, openHold });
  setCost(cost);
  return body;
};

export const handler = pricedEndpoint(messageRoutes.sendMessage, orderMessage, sendMessage);
