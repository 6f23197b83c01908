import type { AnthropicEvent, AnthropicMessage } from '#contract/inference/anthropic-message.ts';
import {
  type AnthropicRequest,
  type AnthropicMessageParam,
  type AnthropicPrompt,
  isCustom,
} from '#contract/inference/anthropic.ts';
import { callableModels, findModel, phaseOf } from '#contract/inference/models.ts';
import { isJsonObject, parseJson } from '#contract/shared/json.ts';
import { limits } from '#contract/shared/limits.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { CallPiece, ChatEnd, ChatFormat, ResponseMetadata, TextPiece } from './chat.ts';
import type { Conversation, ModelMessage } from './conversation.ts';
import type { ModelUsage } from './model-stream.ts';
import type { OutputRule } from './output-rule.ts';

type EventOf<Type extends AnthropicEvent['type']> = Extract<AnthropicEvent, { type: Type }>;
type Block = AnthropicMessage['content'][number];

/** Format of Anthropic's Messages API. Reasoning is returned if the request enables `thinking`. */
export function anthropicChat(request: AnthropicRequest): ChatFormat<AnthropicMessage> {
  const { type: thinking = 'disabled', display } = request.thinking ?? {};
  const showsReasoning = thinking !== 'disabled' && display !== 'omitted';
  const blocks = contentEvents();
  let refuses = false;

  function stop({ reason, called, stopSequence }: ChatEnd) {
    if (refuses && reason === 'stop') return { stop_reason: stopReasons.content_filter, stop_sequence: null };
    const isMatch = reason === 'stop' && !called && stopSequence && request.stop_sequences?.includes(stopSequence);
    return isMatch
      ? { stop_reason: 'stop_sequence' as const, stop_sequence: stopSequence }
      : { stop_reason: called && reason === 'stop' ? ('tool_use' as const) : stopReasons[reason], stop_sequence: null };
  }

  return {
    maxCalls: makesOneCall(request) ? 1 : limits.functions,
    body(reply, about) {
      const { reasoning, content, calls, reason, usage } = reply;
      refuses = Boolean(reply.isRefusal);
      const isWhole = reason === 'stop';
      const made = calls.flatMap(({ name, arguments: text }, index) => {
        const input = inputOf(text);
        if (!input && isWhole) throw invalidInput();
        // The arguments of a truncated reply are incomplete.
        return input ? [toolUse(callId(about, index), name, input)] : [];
      });
      return {
        ...envelope(about),
        content: [
          ...(showsReasoning && reasoning ? [{ ...thinkingBlock, thinking: reasoning }] : []),
          ...(content ? [{ ...textBlock, text: content }] : []),
          ...made,
        ],
        ...stop(reply),
        usage: { ...untoldUsage, ...tokensOf(usage) },
      };
    },
    async openingChunks(about, countPrompt) {
      const usage = tokensOf({ prompt_tokens: await countPrompt(), completion_tokens: 0 });
      const message = {
        ...envelope(about),
        content: noContent,
        stop_reason: null,
        stop_sequence: null,
        usage: { ...untoldUsage, ...usage },
      };
      return [{ type: 'message_start', message } satisfies EventOf<'message_start'>];
    },
    pieceChunks(piece, about) {
      refuses ||= 'isRefusal' in piece;
      return blocks.add(piece, about);
    },
    ...(showsReasoning && { reasoningChunks: (reasoning: string) => blocks.addReasoning(reasoning) }),
    endChunks(end) {
      const delta = { ...stop(end), container: null, stop_details: null };
      const last = { type: 'message_delta', delta, usage: tokensOf(end.usage) } satisfies EventOf<'message_delta'>;
      return [...blocks.end(end.reason === 'stop'), last];
    },
  };
}

const stopReasons = { stop: 'end_turn', length: 'max_tokens', content_filter: 'refusal' } as const;

const envelope = ({ id, model }: ResponseMetadata) => ({
  id: messageId(id),
  type: 'message' as const,
  role: 'assistant' as const,
  model,
  container: null,
  diagnostics: null,
  stop_details: null,
});

const noContent: [] = [];

const untoldUsage = { cache_creation: null, inference_geo: null, service_tier: null, speed: null };

/** Anthropic reports cached tokens separately from the input. */
function tokensOf({ prompt_tokens, completion_tokens, ...details }: ModelUsage) {
  const { cached_tokens = 0, cache_write_tokens = 0, reasoning_tokens } = details;
  return {
    input_tokens: prompt_tokens - cached_tokens - cache_write_tokens,
    cache_creation_input_tokens: cache_write_tokens,
    cache_read_input_tokens: cached_tokens,
    output_tokens: completion_tokens,
    output_tokens_details: reasoning_tokens === undefined ? null : { thinking_tokens: reasoning_tokens },
    server_tool_use: null,
  };
}

/** `chatcmpl-1` becomes `msg_1`. */
const messageId = (id: string): string => `msg_${id.slice(id.indexOf('-') + 1)}`;

/** Replaces the model's id, which may repeat. Clients require unique ids within a conversation. */
const callId = ({ id }: ResponseMetadata, index: number): string => `toolu_${id.slice(id.indexOf('-') + 1)}_${index}`;

const textBlock = { type: 'text', text: '', citations: null } as const;
const thinkingBlock = { type: 'thinking', thinking: '', signature: '' } as const;
const toolUse = (id: string, name: string, input: Record<string, unknown>) => ({
  type: 'tool_use' as const,
  id,
  name,
  input,
  caller: { type: 'direct' as const },
});

/** Returns a call's arguments; undefined unless they are a JSON object. Some models send an empty string. */
function inputOf(text: string): Record<string, unknown> | undefined {
  if (text.trim() === '') return {};
  const value = parseJson(text);
  return isJsonObject(value) ? value : undefined;
}

const invalidInput = (): ServiceError =>
  new ServiceError('MODEL_ERROR', 'The model called a tool with arguments that are not a JSON object.');

/** Events of the content blocks. A block begins when the previous one is complete. */
function contentEvents() {
  let index = -1;
  let open: { readonly type: Block['type']; readonly call?: number; json: string } | undefined;

  function begin(block: Block, call?: number): AnthropicEvent[] {
    const events = close();
    index += 1;
    open = { type: block.type, json: '', ...(call !== undefined && { call }) };
    return [...events, { type: 'content_block_start', index, content_block: block }];
  }

  function close(isComplete = true): AnthropicEvent[] {
    if (!open) return [];
    if (isComplete && open.type === 'tool_use' && !inputOf(open.json)) throw invalidInput();
    open = undefined;
    return [{ type: 'content_block_stop', index }];
  }

  const deltaEvent = (delta: EventOf<'content_block_delta'>['delta']): AnthropicEvent => ({
    type: 'content_block_delta',
    index,
    delta,
  });

  function callEvents({ index: call, opened, arguments: text }: CallPiece, about: ResponseMetadata): AnthropicEvent[] {
    const events = opened ? begin(toolUse(callId(about, call), opened.name, {}), call) : [];
    if (open?.call !== call) throw invalidInput();
    open.json += text;
    return text ? [...events, deltaEvent({ type: 'input_json_delta', partial_json: text })] : events;
  }

  return {
    add(piece: TextPiece, about: ResponseMetadata): AnthropicEvent[] {
      if ('call' in piece) return callEvents(piece.call, about);
      const events = open?.type === 'text' ? [] : begin(textBlock);
      return [...events, deltaEvent({ type: 'text_delta', text: piece.content })];
    },
    addReasoning(thinking: string): AnthropicEvent[] {
      const events = open?.type === 'thinking' ? [] : begin(thinkingBlock);
      return [...events, deltaEvent({ type: 'thinking_delta', thinking })];
    },
    /** `isComplete`: the model ended by itself, so its last call is complete. */
    end: (isComplete: boolean): AnthropicEvent[] => close(isComplete),
  };
}

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

const makesOneCall = ({ tool_choice: choice }: Pick<AnthropicRequest, 'tool_choice'>): boolean =>
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

type ContentBlock = Extract<AnthropicMessageParam, { role: 'user' }>['content'][number];

/** Marks an error in the text, because models have no field for it. */
function toolMessage(
  block: Extract<ContentBlock, { type: 'tool_result' }>,
  names: ReadonlyMap<string, string>,
): ModelMessage {
  const { tool_use_id, is_error } = block;
  const text = block.content ?? '';
  const name = names.get(tool_use_id);
  const content = is_error ? `Error: ${text}` : text;
  return { role: 'tool', tool_call_id: tool_use_id, ...(name !== undefined && { name }), content };
}
