import type { OpenAiChatCompletion } from '#contract/inference/openai/openai-chat.ts';
import { openAiRoutes } from '#contract/routes/inference/openai.ts';
import { conversationOfOpenAi } from '#domain/inference/chat/conversation.ts';
import { openAiChat } from '#domain/inference/chat/openai-chat.ts';
import type { ChatOrder } from '#domain/inference/model-order.ts';
import type { OrderOf, PricedOperation } from '#runtime/endpoints/operation.ts';
import { pricedEndpoint } from '#runtime/endpoints/priced-endpoint.ts';

type Route = typeof openAiRoutes.createOpenAiChatCompletion;
type Order = ChatOrder<OpenAiChatCompletion>;

const orderChat: OrderOf<Route, Order> = ({ inference }, body, prove) =>
  inference().orderChat(conversationOfOpenAi(body), openAiChat(body), prove);

const createChatCompletion: PricedOperation<Route, Order> = ({ inference }, { order, requestId }) =>
  order.stream ? inference().streamChat(order, requestId) : inference().chat(order, requestId);

export const handler = pricedEndpoint(openAiRoutes.createOpenAiChatCompletion, orderChat, createChatCompletion);
