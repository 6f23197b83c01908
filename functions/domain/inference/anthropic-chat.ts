import type { AnthropicEvent, AnthropicMessage } from '#contract/inference/anthropic-message.ts';
import type { AnthropicRequest } from '#contract/inference/anthropic.ts';
import { isJsonObject, parseJson } from '#contract/shared/json.ts';
import { limits } from '#contract/shared/limits.ts';
import { ServiceError } from '../shared/service-error.ts';
import { makesOneCall } from './anthropic-conversation.ts';
import type { CallPiece, ChatEnd, ChatFormat, ResponseMetadata, TextPiece } from './chat.ts';
import type { ModelUsage } from './model-stream.ts';

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

/** Returns the arguments of a call, or undefined if they are not a JSON object. Some models send an empty string instead of `{}`. */
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
