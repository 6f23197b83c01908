import type { ChatCompletion, Completion } from '#contract/inference/requests.ts';
import { listedModels } from '#contract/listings.ts';
import type { inferenceRoutes } from '#contract/routes/inference.ts';
import { specifiedCompletion } from '#domain/inference/completion.ts';
import { conversationOf } from '#domain/inference/conversation.ts';
import type { ChatOrder, CompletionOrder, EmbeddingsOrder } from '#domain/inference/order.ts';
import { specifiedChat } from '#domain/inference/specified-chat.ts';
import type { TranslationOrder } from '#domain/inference/translation.ts';
import type { Operation, PricedOperation } from '#runtime/operation.ts';

export const cancelRequest: Operation<typeof inferenceRoutes.cancelRequest> = async (
  { cancellations },
  { input, caller },
) => (await cancellations()).cancel(caller.accountId, input.path.requestId);

export const createChatCompletion: PricedOperation<
  typeof inferenceRoutes.createChatCompletion,
  ChatOrder<ChatCompletion>
> = {
  order: ({ inference }, body, prove) => inference().orderChat(conversationOf(body), specifiedChat, prove),
  run: async ({ inference }, { order, requestId, setCost }) => {
    if (order.stream) return inference().streamChat(order, requestId);
    const { body, cost, usage } = await inference().chat(order, requestId);
    setCost(cost, usage);
    return body;
  },
};

export const createCompletion: PricedOperation<typeof inferenceRoutes.createCompletion, CompletionOrder<Completion>> = {
  order: ({ inference }, body, prove) => inference().orderCompletion(body, specifiedCompletion, prove),
  run: async ({ inference }, { order, requestId, setCost }) => {
    if (order.stream) return inference().streamCompletion(order, requestId);
    const { body, cost, usage } = await inference().complete(order, requestId);
    setCost(cost, usage);
    return body;
  },
};

export const createEmbeddings: PricedOperation<typeof inferenceRoutes.createEmbeddings, EmbeddingsOrder> = {
  order: ({ inference }, body, prove) => inference().orderEmbeddings(body, prove),
  run: async ({ inference }, { order, setCost }) => {
    const { body, cost, usage } = await inference().embed(order);
    setCost(cost, usage);
    return body;
  },
};

export const listModels: Operation<typeof inferenceRoutes.listModels> = () => listedModels();

export const translate: PricedOperation<typeof inferenceRoutes.translate, TranslationOrder> = {
  order: async ({ translation }, body, prove) => (await translation()).order(body, prove),
  run: async ({ translation }, { order }) => (await translation()).translate(order),
};
