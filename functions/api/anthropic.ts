import type { AnthropicMessage } from '#contract/inference/anthropic-message.ts';
import { listedAnthropicModels } from '#contract/listings.ts';
import type { anthropicRoutes } from '#contract/routes/anthropic.ts';
import { anthropicChat, conversationOfAnthropic, promptOfAnthropic } from '#domain/inference/anthropic-chat.ts';
import type { ChatOrder } from '#domain/inference/order.ts';
import type { Operation, PricedOperation } from '#runtime/operation.ts';
import { countPromptTokens } from '#runtime/services/prompt-tokens.ts';

export const createAnthropicMessage: PricedOperation<
  typeof anthropicRoutes.createAnthropicMessage,
  ChatOrder<AnthropicMessage>
> = {
  order: async ({ inference }, body, prove) =>
    inference().orderChat(conversationOfAnthropic(body), anthropicChat(body), prove),
  run: async ({ inference }, { order, requestId, setCost }) => {
    if (order.stream) return inference().streamChat(order, requestId);
    const { body, cost, usage } = await inference().chat(order, requestId);
    setCost(cost, usage);
    return body;
  },
};

/** Bounded by the size of the body and the limit. The key is valid, because the route has no price. */
export const countAnthropicTokens: Operation<typeof anthropicRoutes.countAnthropicTokens> = async (
  { enforceTokenCountLimit },
  { input, caller },
) => {
  await enforceTokenCountLimit(caller.accountId);
  return { input_tokens: await countPromptTokens(promptOfAnthropic(input.body)) };
};

export const listAnthropicModels: Operation<typeof anthropicRoutes.listAnthropicModels> = () => listedAnthropicModels();

export const checkAnthropicBaseUrl: Operation<typeof anthropicRoutes.checkAnthropicBaseUrl> = () => undefined;
