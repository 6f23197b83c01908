import { defineRoute, type Route } from '../http/route.ts';
import { AnthropicMessage, AnthropicModelList, AnthropicTokenCount } from '../inference/anthropic-message.ts';
import { AnthropicPrompt, AnthropicRequest } from '../inference/anthropic.ts';
import { littleMemory, modelCalls } from './model-calls.ts';

/** The Messages API of Anthropic: the chat models, prices and charges of the other operations. */
export const anthropicRoutes = {
  createAnthropicMessage: defineRoute({
    ...modelCalls.chat,
    ...littleMemory,
    id: 'create-anthropic-message',
    path: '/anthropic/v1/messages',
    summary: 'Create a message, for Anthropic clients',
    bodyInput: AnthropicRequest,
    output: AnthropicMessage,
  }),
  countAnthropicTokens: defineRoute({
    id: 'count-anthropic-tokens',
    method: 'POST',
    path: '/anthropic/v1/messages/count_tokens',
    summary: 'Count the tokens of a prompt',
    note: 'Free of charge, and limited by account and minute. A model whose tokenizer differs from ours may count other tokens.',
    credential: 'key',
    bodyInput: AnthropicPrompt,
    output: AnthropicTokenCount,
    refusals: ['RATE_LIMIT_EXCEEDED'],
    uses: { tables: { meters: 'read', accounts: 'write' } },
  }),
  listAnthropicModels: defineRoute({
    id: 'list-anthropic-models',
    method: 'GET',
    path: '/anthropic/v1/models',
    summary: 'List the chat models, for Anthropic clients',
    credential: 'key',
    output: AnthropicModelList,
    uses: { tables: { meters: 'read' } },
  }),
  checkAnthropicBaseUrl: defineRoute({
    id: 'check-anthropic-base-url',
    method: 'HEAD',
    path: '/anthropic',
    summary: 'Check the base URL for Anthropic clients',
    credential: 'none',
    uses: {},
  }),
} as const satisfies Record<string, Route>;
