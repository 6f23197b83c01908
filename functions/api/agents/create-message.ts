import { agentRoutes } from '#contract/routes/agents.ts';
import type { TurnOrder } from '#domain/agents/turns/turn-order.ts';
import type { OpenOrderOf, PricedOperation } from '#runtime/operation.ts';
import { pricedEndpoint } from '#runtime/priced-endpoint.ts';

type Route = typeof agentRoutes.createMessage;

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

export const handler = pricedEndpoint(agentRoutes.createMessage, undefined, createMessage, openTurn);
