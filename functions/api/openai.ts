import { forwardedByCompletion } from '#contract/inference/openai-fields.ts';
import type { OpenAiChatCompletion, OpenAiCompletion } from '#contract/inference/openai.ts';
import { listedModels } from '#contract/listings.ts';
import type { openAiRoutes } from '#contract/routes/openai.ts';
import { type ChoicesOrder, inChoices } from '#domain/inference/choices.ts';
import { conversationOfOpenAi, forwarded } from '#domain/inference/conversation.ts';
import { listedModel } from '#domain/inference/model-catalog.ts';
import { joinChats, joinCompletions, openAiChat, openAiCompletion } from '#domain/inference/openai-format.ts';
import type { ChatOrder, CompletionOrder, EmbeddingsOrder } from '#domain/inference/order.ts';
import type { Operation, PricedOperation } from '#runtime/operation.ts';

export const createOpenAiChatCompletion: PricedOperation<
  typeof openAiRoutes.createOpenAiChatCompletion,
  ChoicesOrder<ChatOrder<OpenAiChatCompletion>>
> = {
  order({ inference, models }, body, prove) {
    const calls = inChoices(inference(), models());
    return calls.orderChat(conversationOfOpenAi(body), (index) => openAiChat(body, index), { n: body.n, prove });
  },
  async run({ inference, models }, { order, requestId, setCost }) {
    const calls = inChoices(inference(), models());
    if (order.stream) return calls.streamChat(order, requestId);
    const { bodies, cost, usage } = await calls.chat(order, requestId);
    setCost(cost, usage);
    return joinChats(bodies, usage);
  },
};

export const createOpenAiCompletion: PricedOperation<
  typeof openAiRoutes.createOpenAiCompletion,
  ChoicesOrder<CompletionOrder<OpenAiCompletion>>
> = {
  order({ inference, models }, body, prove) {
    const calls = inChoices(inference(), models());
    const prompt = { ...body, extras: forwarded(body, forwardedByCompletion) };
    return calls.orderCompletion(prompt, (index) => openAiCompletion(body, index), { n: body.n, prove });
  },
  async run({ inference, models }, { order, requestId, setCost }) {
    const calls = inChoices(inference(), models());
    if (order.stream) return calls.streamCompletion(order, requestId);
    const { bodies, cost, usage } = await calls.complete(order, requestId);
    setCost(cost, usage);
    return joinCompletions(bodies, usage);
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
