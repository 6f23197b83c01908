import type { ChatCompletion } from '#contract/inference/requests.ts';
import { inferenceRoutes } from '#contract/routes/inference/inference.ts';
import { specifiedChat } from '#domain/inference/chat/chat-format.ts';
import { conversationOf } from '#domain/inference/chat/conversation.ts';
import type { ChatOrder } from '#domain/inference/model-order.ts';
import type { OrderOf, PricedOperation } from '#runtime/endpoints/operation.ts';
import { pricedEndpoint } from '#runtime/endpoints/priced-endpoint.ts';

type Route = typeof inferenceRoutes.createChatCompletion;
type Order = ChatOrder<ChatCompletion>;

const orderChat: OrderOf<Route, Order> = ({ inference }, body, prove) =>
  inference().orderChat(conversationOf(body), specifiedChat, prove);

const createChatCompletion: PricedOperation<Route, Order> = ({ inference }, { order, requestId }) =>
  order.stream ? inference().streamChat(order, requestId) : inference().chat(order, requestId);

export const handler = pricedEndpoint(inferenceRoutes.createChatCompletion, orderChat, createChatCompletion);
