import { conversationRoutes } from '#contract/routes/agents/conversations.ts';
import type { TurnOrder } from '#domain/agents/turns/turn-order.ts';
import type { OpenOrderOf, PricedOperation } from '#runtime/endpoints/operation.ts';
import { pricedEndpoint } from '#runtime/endpoints/priced-endpoint.ts';

type Route = typeof conversationRoutes.createMessage;

const openTurn: OpenOrderOf<Route, TurnOrder> = async ({ agents }, { input, caller, prove, namesModel }) => {
  const turns = (await agents()).turns();
  const order = await turns.open(caller.accountId, input.path, input.body, namesModel);
  await turns.check(order, prove);
  return order;
};

const createMessage: PricedOperation<Route, TurnOrder> = async ({ agents }, { order, requestId }) => {
  const turns = (await agents()).turns();
  return order.stream ? turns.stream(order, requestId) : turns.take(order, requestId);
};

export const handler = pricedEndpoint(conversationRoutes.createMessage, undefined, createMessage, {
  open: openTurn,
  modelOf: async ({ agents }, { input, caller }) => (await agents()).turns().modelOf(caller.accountId, input.path),
});
