import type { OpenAiChatCompletion } from '#contract/inference/openai.ts';
import type { Completion } from '#contract/inference/requests.ts';
import type { openAiRoutes } from '#contract/routes/openai.ts';
import { openAiChat } from '#domain/inference/chat.ts';
import { openAiCompletion } from '#domain/inference/completion.ts';
import { conversationOfOpenAi } from '#domain/inference/conversation.ts';
import { listedModel, listedModels } from '#domain/inference/model-catalogue.ts';
import type { ChatOrder, CompletionOrder, EmbeddingsOrder } from '#domain/inference/order.ts';
import type { Operation, PricedOperation } from '#runtime/operation.ts';

export const createOpenAiChatCompletion: PricedOperation<
  typeof openAiRoutes.createOpenAiChatCompletion,
  ChatOrder<OpenAiChatCompletion>
> = {
  order: ({ inference }, body, prove) => inference().orderChat(conversationOfOpenAi(body), openAiChat(body), prove),
  run: async ({ inference }, { order, requestId, setCost }) => {
    if (order.stream) return inference().streamChat(order, requestId);
    const { body, cost, usage } = await inference().chat(order, requestId);
    setCost(cost, usage);
    return body;
  },
};

export const createOpenAiCompletion: PricedOperation<
  typeof openAiRoutes.createOpenAiCompletion,
  CompletionOrder<Completion>
> = {
  order: ({ inference }, body, prove) => inference().orderCompletion(body, openAiCompletion(body), prove),
  run: async ({ inference }, { order, requestId, setCost }) => {
    if (order.stream) return inference().streamCompletion(order, requestId);
    const { body, cost, usage } = await inference().complete(order, requestId);
    setCost(cost, usage);
    return body;
  },
};

export const createOpenAiEmbeddings: PricedOperation<typeof openAiRoutes.createOpenAiEmbeddings, EmbeddingsOrder> = {
  order: ({ inference }, body, prove) => inference().orderEmbeddings(body, prove),
  run: async ({ inference }, { order, setCost }) => {
    const { body, cost, usage } = await inference().embed(order);
    setCost(cost, usage);
    return body;
  },
};

export const getOpenAiModel: Operation<typeof openAiRoutes.getOpenAiModel> = (_, { input }) =>
  listedModel(input.path.model);

export const listOpenAiModels: Operation<typeof openAiRoutes.listOpenAiModels> = () => ({
  object: 'list',
  data: listedModels(),
});
