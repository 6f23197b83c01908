import type { FunctionDefinition } from '#contract/inference/inference-fields.ts';
import { type Forwarded, forwardedByChat } from '#contract/inference/openai-fields.ts';
import type { OpenAiChatRequest, OpenAiMessage } from '#contract/inference/openai.ts';
import type { ChatMessage, ChatRequest } from '#contract/inference/requests.ts';
import type { Sampling } from './order.ts';
import type { OutputRule } from './output-rule.ts';

interface ModelToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

export type ModelMessage = {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string | null;
  readonly tool_calls?: readonly ModelToolCall[];
  readonly tool_call_id?: string;
  readonly name?: string;
};

export interface Conversation {
  readonly model: string;
  readonly messages: readonly ModelMessage[];
  readonly maxTokens: number | undefined;
  /**
   * Reduces the output to the tokens that remain after the prompt. Without `maxTokens`, half of the window is allowed.
   */
  readonly reducesOutput?: true;
  readonly sampling: Sampling;
  readonly functions: readonly FunctionDefinition[];
  /** Functions that are not offered. The format drops their calls instead of failing. */
  readonly suppressed?: readonly string[];
  /** Tools of kinds that are not served, by name. */
  readonly toolsLeftOut?: readonly string[];
  readonly toolChoice: 'none' | 'auto' | 'required' | { readonly name: string };
  /** Rule of a whole reply. A reply that does not fit is requested once more. */
  readonly output?: OutputRule | undefined;
  readonly extras: Readonly<Record<string, unknown>>;
  readonly stream: boolean;
}

/** Converts functions to tools, function calls to tool calls, and results to tool messages. */
export function conversationOf(request: ChatRequest): Conversation {
  const { model, messages, max_tokens, functions, function_call, stream } = request;
  return {
    model,
    messages: toModelMessages(messages),
    maxTokens: max_tokens,
    sampling: request,
    functions: functions ?? [],
    toolChoice: function_call ?? 'auto',
    extras: {},
    stream,
  };
}

/** Converts a request of OpenAI's clients. `functions` and `tools` are merged. */
export function conversationOfOpenAi(request: OpenAiChatRequest): Conversation {
  const { model, messages, tools, functions, function_call, stream, parallel_tool_calls } = request;
  const { offered, choice } = allowedTools(request);
  return {
    model,
    messages: toModelMessages(messages),
    maxTokens: request.max_completion_tokens ?? request.max_tokens ?? undefined,
    sampling: request,
    functions: offered ?? functions ?? [],
    toolChoice: choice ?? function_call ?? 'auto',
    output: outputRule(request),
    extras: {
      ...(tools?.length && typeof parallel_tool_calls === 'boolean' && { parallel_tool_calls }),
      ...forwarded(request, forwardedByChat),
    },
    stream,
  };
}

/** Returns the tools to offer to the model: with `allowed_tools`, only these. */
function allowedTools({ tools, tool_choice: choice }: OpenAiChatRequest) {
  const offered = tools?.map((tool) => tool.function);
  if (typeof choice !== 'object' || choice === null) return { offered, choice };
  if (choice.type === 'function') return { offered, choice: choice.function };
  const { mode, tools: allowed } = choice.allowed_tools;
  const names = new Set(allowed.map((tool) => tool.function.name));
  return { offered: offered?.filter(({ name }) => names.has(name)), choice: mode };
}

/** The fields of a request that its container receives unchanged. */
export function forwarded(request: Forwarded, fields: object): Forwarded {
  const named = Object.entries(request).filter(([name]) => Object.hasOwn(fields, name));
  return Object.fromEntries(named.filter(([, value]) => value !== null && value !== undefined && value !== false));
}

function outputRule({ response_format: format }: OpenAiChatRequest): OutputRule | undefined {
  if (!format || format.type === 'text') return undefined;
  if (format.type === 'json_object') return format;
  return { type: format.type, ...format.json_schema, path: 'response_format.json_schema.schema' };
}

/** A function result belongs to the preceding call, so that call's index serves as the id. */
function toModelMessages(messages: readonly (ChatMessage | OpenAiMessage)[]): ModelMessage[] {
  const names = new Map<string, string>();
  return messages.map((message, index) => {
    if (message.role === 'assistant') {
      const calls = callsOf(message, index);
      for (const call of calls) names.set(call.id, call.function.name);
      if (calls.length === 0) return { role: 'assistant', content: message.content ?? '' };
      return { role: 'assistant', content: message.content ?? null, tool_calls: calls };
    }
    const { role, content } = message;
    if (role === 'function') return { role: 'tool', tool_call_id: `call_${index - 1}`, name: message.name, content };
    if (role !== 'tool') return { role, content };
    const { tool_call_id } = message;
    const name = names.get(tool_call_id);
    return { role, tool_call_id, ...(name !== undefined && { name }), content };
  });
}

type Assistant = Extract<ChatMessage | OpenAiMessage, { role: 'assistant' }>;

function callsOf(message: Assistant, index: number): ModelToolCall[] {
  const calls = 'tool_calls' in message ? (message.tool_calls ?? []) : [];
  const { function_call: call } = message;
  return call ? [...calls, { id: `call_${index}`, type: 'function', function: call }] : calls;
}
