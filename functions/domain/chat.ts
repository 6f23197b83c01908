import * as v from 'valibot';
import { type ChatCompletion, type ChatMessage, type ChatRequest, finishReasons } from '#contract/inference.ts';
import { findModel } from '#contract/models.ts';
import type { ModelChunk, ModelUsage } from './model-stream.ts';
import type { Tokenizer } from './ports.ts';
import { modelSampling } from './sampling.ts';
import { overlong } from './service-error.ts';
import { measure } from './tokens.ts';

/** Tokens that a chat template may add around each message, and around the whole. */
const overheadPerMessage = 4;
const overhead = 3;

/** Asked for when the caller sends no `max_tokens` (spec "POST /chat/completions"). */
const defaultMaxTokens = 1024;

/** A chat request as OpenAI-compatible containers take it, without `model`, which the endpoint stands for. */
export interface ModelChatRequest {
  readonly messages: readonly Record<string, unknown>[];
  readonly max_tokens: number;
  readonly [parameter: string]: unknown;
}

/** The reply of such a container, as far as it is used. */
export const ModelChatReply = v.object({
  choices: v.pipe(
    v.array(
      v.object({
        message: v.object({
          content: v.nullish(v.string()),
          tool_calls: v.nullish(v.array(v.object({ function: v.object({ name: v.string(), arguments: v.string() }) }))),
        }),
        finish_reason: v.nullish(v.string()),
      }),
    ),
    v.minLength(1),
  ),
  usage: v.nullish(v.object({ prompt_tokens: v.number(), completion_tokens: v.number() })),
});
export type ModelChatReply = v.InferOutput<typeof ModelChatReply>;

/**
 * How many tokens the answer may have. Refuses (400) what cannot fit into the model's context: only a `max_tokens`
 * that the caller sent must fit, the default is cut to what is left (design section 3, "Requested output").
 */
export async function outputRoom(request: ChatRequest, tokenizer: Tokenizer): Promise<number> {
  const window = findModel(request.model, 'chat')?.contextWindow ?? 0;
  const extra = overhead + overheadPerMessage * request.messages.length;
  const asked = request.max_tokens ?? 1;
  const { tokens, fits } = await measure(promptTexts(request), window - extra - asked, tokenizer);
  const prompt = tokens + extra;
  if (!fits) {
    throw overlong(request.model, window, prompt, asked);
  }
  return request.max_tokens ?? Math.min(defaultMaxTokens, window - prompt);
}

function promptTexts({ messages, functions }: ChatRequest): string[] {
  const texts = messages.flatMap((message) => [
    message.content ?? '',
    'function_call' in message && message.function_call
      ? message.function_call.name + message.function_call.arguments
      : '',
    'name' in message ? message.name : '',
  ]);
  return functions?.length ? [...texts, JSON.stringify(functions)] : texts;
}

/** Functions become tools, function calls tool calls with made-up ids, function results tool messages. */
export function toModelRequest(request: ChatRequest, maxTokens: number): ModelChatRequest {
  const { functions, function_call } = request;
  return {
    messages: request.messages.map(toModelMessage),
    max_tokens: maxTokens,
    ...modelSampling(request),
    ...(functions?.length && {
      tools: functions.map((offered) => ({ type: 'function', function: offered })),
      tool_choice: toToolChoice(function_call),
    }),
  };
}

function toToolChoice(call: ChatRequest['function_call']) {
  return call && typeof call === 'object' ? { type: 'function', function: { name: call.name } } : (call ?? 'auto');
}

/** A function result answers the call just before it, so the message's place before it is the id that ties the two. */
function toModelMessage(message: ChatMessage, index: number): Record<string, unknown> {
  if (message.role === 'function') {
    return { role: 'tool', tool_call_id: `call_${index - 1}`, name: message.name, content: message.content };
  }
  if (message.role !== 'assistant' || !message.function_call) return { role: message.role, content: message.content };
  const { name, arguments: text } = message.function_call;
  const call = { id: `call_${index}`, type: 'function', function: { name, arguments: text } };
  return { role: 'assistant', content: message.content ?? null, tool_calls: [call] };
}

export function toChatCompletion(
  reply: ModelChatReply,
  { prompt_tokens, completion_tokens }: ModelUsage,
  about: { id: string; created: number; model: string },
): ChatCompletion {
  return {
    id: about.id,
    object: 'chat.completion',
    created: about.created,
    model: about.model,
    choices: reply.choices.slice(0, 1).map(({ message, finish_reason: reason }) => {
      const called = message.tool_calls?.[0]?.function;
      return {
        index: 0,
        message: {
          role: 'assistant',
          content: message.content ?? '',
          ...(called && { function_call: { name: called.name, arguments: called.arguments } }),
        },
        finish_reason: called ? 'function_call' : normalFinishReason(reason),
      };
    }),
    usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
  };
}

/** Containers have more words for a natural end (`eos_token`, `stop_sequence`) than the specification. */
export function normalFinishReason(reason: string | null | undefined): (typeof finishReasons)[number] {
  return finishReasons.find((known) => known === reason) ?? 'stop';
}

/**
 * Chunks as the specification's chat stream has them (design section 3, "Chat stream"): the first says the role, the
 * last why it ended, and the usage. `onContent` is told what was delivered.
 */
export async function* chatChunks(
  chunks: AsyncIterable<ModelChunk>,
  about: { id: string; created: number; model: string },
  onContent: (text: string) => void,
  onUsage: (usage: ModelUsage | null | undefined) => Promise<ModelUsage>,
) {
  const chunkOf = (delta: object, finish_reason: string | null) => ({
    id: about.id,
    object: 'chat.completion.chunk',
    created: about.created,
    model: about.model,
    choices: [{ index: 0, delta, finish_reason }],
  });
  let usage: ModelUsage | null | undefined;
  let reason: string | null | undefined;
  let called = false;
  let begun = false;
  for await (const chunk of chunks) {
    usage = chunk.usage ?? usage;
    const [choice] = chunk.choices;
    reason = choice?.finish_reason ?? reason;
    const call = choice?.delta?.tool_calls?.[0]?.function;
    const content = choice?.delta?.content;
    if (!content && !call) continue;
    called ||= call !== undefined;
    onContent(content ?? `${call?.name ?? ''}${call?.arguments ?? ''}`);
    const delta = call ? { function_call: withoutNulls(call) } : { content };
    yield chunkOf(begun ? delta : { role: 'assistant', ...delta }, null);
    begun = true;
  }
  const { prompt_tokens, completion_tokens } = await onUsage(usage);
  yield {
    ...chunkOf(begun ? {} : { role: 'assistant', content: '' }, called ? 'function_call' : normalFinishReason(reason)),
    usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
  };
}

function withoutNulls({
  name,
  arguments: text,
}: {
  name?: string | null | undefined;
  arguments?: string | null | undefined;
}) {
  return { ...(name && { name }), ...(text && { arguments: text }) };
}
