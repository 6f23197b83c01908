import type { FunctionDefinition } from '#contract/inference/inference-fields.ts';
import type { OpenAiChatRequest, OpenAiMessage } from '#contract/inference/openai.ts';
import type { ChatMessage, ChatRequest } from '#contract/inference/requests.ts';
import type { Sampling } from './order.ts';

interface ModelToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

type ModelMessage = {
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
  /** Reduces the output to what fits beside the prompt. Without `maxTokens`, half of the window is allowed. */
  readonly reducesOutput?: true;
  readonly sampling: Sampling;
  readonly functions: readonly FunctionDefinition[];
  readonly toolChoice: 'none' | 'auto' | 'required' | { readonly name: string };
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
  const { model, messages, tools, tool_choice: choice, functions, function_call, stream } = request;
  const { parallel_tool_calls, response_format } = request;
  return {
    model,
    messages: toModelMessages(messages),
    maxTokens: request.max_completion_tokens ?? request.max_tokens ?? undefined,
    sampling: request,
    functions: tools?.map((tool) => tool.function) ?? functions ?? [],
    toolChoice: (typeof choice === 'object' ? choice?.function : choice) ?? function_call ?? 'auto',
    extras: {
      ...(tools?.length && typeof parallel_tool_calls === 'boolean' && { parallel_tool_calls }),
      ...(response_format && response_format.type !== 'text' && { response_format }),
    },
    stream,
  };
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
