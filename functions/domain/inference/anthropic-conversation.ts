import {
  type AnthropicMessageParam,
  type AnthropicPrompt,
  type AnthropicRequest,
  isCustom,
} from '#contract/inference/anthropic.ts';
import { callableModels, findModel, phaseOf } from '#contract/inference/models.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { Conversation, ModelMessage } from './conversation.ts';
import type { OutputRule } from './output-rule.ts';

/** Converts a request of Anthropic's clients. Throws 404 for an unknown model. */
export function conversationOfAnthropic(request: AnthropicRequest): Conversation {
  const { max_tokens, stop_sequences, tool_choice: choice, stream } = request;
  const { temperature, top_p, top_k } = request;
  const prompt = promptOfAnthropic(request);
  return {
    ...prompt,
    maxTokens: max_tokens,
    reducesOutput: true,
    sampling: { temperature, top_p, top_k, frequency_penalty: 0, presence_penalty: 0, stop: stop_sequences },
    toolChoice: toolChoice(choice),
    output: outputRule(request),
    extras: {
      ...(prompt.functions.length > 0 && makesOneCall(request) && { parallel_tool_calls: false }),
    },
    stream,
  };
}

/** The fields of a request that become the prompt. */
export function promptOfAnthropic({ model, system, messages, tools }: AnthropicPrompt) {
  const offered = (tools ?? []).filter(isCustom);
  const leftOut = (tools ?? []).filter((tool) => !isCustom(tool)).map(({ name, type }) => name ?? type ?? '');
  return {
    model: servedModel(model),
    messages: [...(system ? [{ role: 'system' as const, content: system }] : []), ...modelMessages(messages)],
    functions: offered.map(({ name, description, input_schema: parameters }) => ({
      name: name ?? '',
      ...(description && { description }),
      ...(parameters && { parameters }),
    })),
    ...(leftOut.length > 0 && { toolsLeftOut: [...new Set(leftOut)] }),
  };
}

/** Returns the id of a chat model. Anthropic's clients expect 404 for any other name. */
function servedModel(name: string): string {
  const model = findModel(name, 'chat');
  if (model && phaseOf(model) !== 'upcoming') return model.id;
  const served = callableModels().filter(({ capabilities }) => capabilities.includes('chat'));
  const detail = `No chat model has this name. Use one of: ${served.map(({ id }) => id).join(', ')}.`;
  throw new ServiceError('NOT_FOUND', detail, { field: { path: 'model', isMissing: false } });
}

export const makesOneCall = ({ tool_choice: choice }: Pick<AnthropicRequest, 'tool_choice'>): boolean =>
  Boolean(choice && 'disable_parallel_tool_use' in choice && choice.disable_parallel_tool_use);

function toolChoice(choice: AnthropicRequest['tool_choice']): Conversation['toolChoice'] {
  if (choice?.type === 'tool') return { name: choice.name };
  return choice?.type === 'any' ? 'required' : (choice?.type ?? 'auto');
}

function outputRule({ output_config: config }: AnthropicRequest): OutputRule | undefined {
  if (!config?.format) return undefined;
  const path = 'output_config.format.schema';
  return { type: 'json_schema', name: 'output', schema: config.format.schema, strict: true, path };
}

function modelMessages(messages: readonly AnthropicMessageParam[]): ModelMessage[] {
  /** Names of the called tools by the ids of the calls. */
  const names = new Map<string, string>();
  return messages.flatMap((message) => messagesOf(message, names));
}

/** Places tool results before the other text of a message, because results must directly follow their calls. */
function messagesOf(message: AnthropicMessageParam, names: Map<string, string>): ModelMessage[] {
  if (message.role === 'system') return [{ role: 'system', content: message.content }];
  const texts: string[] = [];
  const results: ModelMessage[] = [];
  const calls = [];
  for (const block of message.content) {
    if (block.type === 'text') texts.push(block.text);
    if (block.type === 'tool_result') results.push(toolMessage(block, names));
    if (block.type === 'tool_use') {
      const called = { name: block.name, arguments: JSON.stringify(block.input) };
      names.set(block.id, block.name);
      calls.push({ id: block.id, type: 'function' as const, function: called });
    }
  }
  const content = texts.filter(Boolean).join('\n');
  if (message.role === 'user')
    return content || results.length === 0 ? [...results, { role: 'user', content }] : results;
  return [{ role: 'assistant', ...(calls.length > 0 ? { content: content || null, tool_calls: calls } : { content }) }];
}

type Block = Extract<AnthropicMessageParam, { role: 'user' }>['content'][number];

/** Marks an error in the text, because models have no field for it. */
function toolMessage(block: Extract<Block, { type: 'tool_result' }>, names: ReadonlyMap<string, string>): ModelMessage {
  const { tool_use_id, is_error } = block;
  const text = block.content ?? '';
  const name = names.get(tool_use_id);
  const content = is_error ? `Error: ${text}` : text;
  return { role: 'tool', tool_call_id: tool_use_id, ...(name !== undefined && { name }), content };
}
