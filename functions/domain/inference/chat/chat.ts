import * as v from 'valibot';
import { findModel } from '#contract/inference/models.ts';
import type { Tokenizer } from '../../shared/ports.ts';
import { overlong } from '../../shared/service-error.ts';
import { cleanText } from '../../shared/text/clean-text.ts';
import { modelSampling } from '../sampling.ts';
import { recordOf, ReportedUsage } from '../streams/model-stream.ts';
import { type Proof, TokenCount } from '../tokens.ts';
import type { Conversation } from './conversation.ts';

/** Tokens that a chat template may add around each message, and around the whole. */
export const overheadPerMessage = 4;
export const overhead = 3;

/** Requested when the caller sends no `max_tokens` (docs/specification.md#post-chatcompletions). */
export const defaultMaxTokens = 1024;

/** A chat request as OpenAI-compatible containers take it, without `model`, which the endpoint stands for. */
export interface ModelChatRequest {
  readonly messages: readonly Record<string, unknown>[];
  readonly max_tokens: number;
  readonly [parameter: string]: unknown;
}

const ModelText = v.pipe(v.string(), v.transform(cleanText));

/** The reply of such a container, as far as it is used. */
export const ModelChatReply = v.object({
  choices: v.pipe(
    v.array(
      v.object({
        message: recordOf({
          content: v.nullish(ModelText),
          tool_calls: v.nullish(
            v.array(
              v.object({
                id: v.nullish(ModelText),
                function: v.object({ name: ModelText, arguments: ModelText }),
              }),
            ),
          ),
        }),
        finish_reason: v.nullish(v.string()),
      }),
    ),
    v.minLength(1),
  ),
  usage: v.optional(ReportedUsage),
});
export type ModelChatReply = v.InferOutput<typeof ModelChatReply>;

/**
 * How many tokens the response may have. Refuses (400) what cannot fit into the model's context: only a `max_tokens`
 * that the caller sent must fit, the default is cut to what is left (docs/design/inference.md#requested-output).
 */
export async function outputRoom(conversation: Conversation, tokenizer: Tokenizer, prove: Proof): Promise<number> {
  const { model, messages, maxTokens } = conversation;
  const window = findModel(model, 'chat')?.contextWindow ?? 0;
  const extra = overhead + overheadPerMessage * messages.length;
  const enough = window - extra - (maxTokens ?? defaultMaxTokens);
  const tokens = new TokenCount(promptTexts(conversation), tokenizer);
  const prompt = extra + (await tokens.bound(enough, window - extra, prove));
  const minTokens = maxTokens ?? 1;
  if (prompt + minTokens > window) throw overlong(model, window, prompt, minTokens);
  return maxTokens ?? Math.min(defaultMaxTokens, window - prompt);
}

function promptTexts({ messages, functions }: Conversation): string[] {
  const texts: string[] = [];
  for (const { content, name, tool_calls: calls = [] } of messages) {
    if (content) texts.push(content);
    if (name) texts.push(name);
    for (const call of calls) texts.push(call.function.name + call.function.arguments);
  }
  if (functions.length > 0) texts.push(JSON.stringify(functions));
  return texts;
}

export function toModelRequest(conversation: Conversation, maxTokens: number): ModelChatRequest {
  const { messages, sampling, functions, toolChoice, extras } = conversation;
  return {
    messages,
    max_tokens: maxTokens,
    ...modelSampling(sampling),
    ...(functions.length > 0 && {
      tools: functions.map((offered) => ({ type: 'function', function: offered })),
      tool_choice: typeof toolChoice === 'object' ? { type: 'function', function: toolChoice } : toolChoice,
    }),
    ...extras,
  };
}
