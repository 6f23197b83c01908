import { routes } from '#contract/routes.ts';
import type { ChatOrder } from '#domain/inference.ts';
import { pricedEndpoint } from '#runtime/endpoint.ts';
import type { OrderOf, PricedOperation } from '#runtime/operation.ts';

type Route = typeof routes.createChatCompletion;

const orderChat: OrderOf<Route, ChatOrder> = ({ inference }, body) => inference().orderChat(body);

const createChatCompletion: PricedOperation<Route, ChatOrder> = ({ inference }, { order, requestId }) =>
  order.stream ? inference().streamChat(order, requestId) : inference().chat(order, requestId);

export const handler = pricedEndpoint(routes.createChatCompletion, orderChat, createChatCompletion);
