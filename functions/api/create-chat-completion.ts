import type { ChatCompletion } from '#contract/inference.ts';
import { routes } from '#contract/routes.ts';
import { specifiedChat } from '#domain/chat-format.ts';
import { conversationOf } from '#domain/conversation.ts';
import type { ChatOrder } from '#domain/inference.ts';
import { pricedEndpoint } from '#runtime/endpoint.ts';
import type { OrderOf, PricedOperation } from '#runtime/operation.ts';

type Route = typeof routes.createChatCompletion;
type Order = ChatOrder<ChatCompletion>;

const orderChat: OrderOf<Route, Order> = ({ inference }, body) =>
  inference().orderChat(conversationOf(body), specifiedChat);

const createChatCompletion: PricedOperation<Route, Order> = ({ inference }, { order, requestId }) =>
  order.stream ? inference().streamChat(order, requestId) : inference().chat(order, requestId);

export const handler = pricedEndpoint(routes.createChatCompletion, orderChat, createChatCompletion);
