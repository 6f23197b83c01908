import * as v from 'valibot';
import { findModel } from '#contract/inference/models.ts';
import type { Refusal } from '#contract/shared/errors.ts';
import { limits } from '#contract/shared/limits.ts';
import type { Tokenizer } from '../shared/ports.ts';
import { contextLengthExceeded, ServiceError } from '../shared/service-error.ts';
import { cleanText } from '../shared/text.ts';
import type { Conversation } from './conversation.ts';
import {
  type DeliveredText,
  type EndReason,
  endReason,
  type ModelChunk,
  type ModelUsage,
  otherOutput,
  reasoningOutput,
  recordOf,
  ReportedUsage,
  stopOutput,
} from './model-stream.ts';
import { countTokens, modelSampling, type Proof, TokenCount } from './order.ts';
import { type Mismatch, mismatchError, type OutputCheck, responseFormat } from './output-rule.ts';

/** Tokens that a chat template may add per message and per request. */
export const overheadPerMessage = 4;
export const overhead = 3;

/** A chat request for OpenAI-compatible containers. `model` is omitted, because the endpoint determines it. */
export interface ModelChatRequest {
  readonly messages: readonly Record<string, unknown>[];
  readonly max_tokens: number;
  readonly [parameter: string]: unknown;
}

const ModelText = v.pipe(v.string(), v.transform(cleanText));

const reasoningIn = (text: string | null | undefined) => (text ? { reasoning: cleanText(text) } : {});

const ModelFunctionCall = v.object({ name: ModelText, arguments: ModelText });

export const ModelChatReply = v.object({
  choices: v.pipe(
    v.array(
      v.object({
        message: v.pipe(
          recordOf({
            content: v.nullish(ModelText),
            tool_calls: v.nullish(v.array(v.object({ id: v.nullish(ModelText), function: ModelFunctionCall }))),
            function_call: v.nullish(ModelFunctionCall),
            ...otherOutput,
            ...reasoningOutput,
          }),
          v.transform(({ function_call: called, refusal, reasoning_content, reasoning, ...message }) => ({
            ...message,
            ...reasoningIn(reasoning_content || reasoning),
            ...(refusal && !message.content && { content: cleanText(refusal), isRefusal: true as const }),
            ...(called && !message.tool_calls?.length && { tool_calls: [{ function: called }] }),
          })),
        ),
        finish_reason: v.nullish(v.string()),
        logprobs: v.optional(v.unknown()),
        ...stopOutput,
      }),
    ),
    v.minLength(1),
  ),
  usage: v.optional(ReportedUsage),
});
export type ModelChatReply = v.InferOutput<typeof ModelChatReply>;

export interface OutputRoom {
  readonly maxTokens: number;
  /** Upper bound of the prompt's tokens. */
  readonly promptTokens: number;
  /** Counts the prompt's tokens. */
  readonly count: () => Promise<number>;
}

/** Minimum output tokens that must remain after the prompt in a dialect that reduces `max_tokens`. */
const minReducedTokens = 1024;

/**
 * Returns the maximum output tokens. An explicit `max_tokens` must fit (400) unless the dialect reduces it; the default
 * is reduced (docs/inference.md#context-length). `isLoose`: an upper bound of the prompt's tokens suffices.
 */
export async function outputRoom(
  conversation: Conversation,
  tokenizer: Tokenizer,
  prove: Proof,
  isLoose = false,
): Promise<OutputRoom> {
  const { model } = conversation;
  const { contextWindow: window = 0, maxOutputTokens = 0 } = findModel(model, 'chat') ?? {};
  const { wanted, minTokens } = wantedOutput(conversation, { model, window, maxOutputTokens });
  const extra = templateTokens(conversation);
  const enough = window - extra - wanted;
  const tokens = new TokenCount(promptTexts(conversation), tokenizer);
  const limit = window - extra;
  const bound = isLoose ? tokens.looseBound(enough, limit, prove) : tokens.bound(enough, limit, prove);
  const prompt = extra + (await bound);
  if (prompt + minTokens > window) throw contextLengthExceeded(model, window, prompt, minTokens);
  return {
    maxTokens: Math.min(wanted, window - prompt),
    promptTokens: prompt,
    count: async () => extra + (await tokens.upTo(limit)),
  };
}

function wantedOutput({ maxTokens, reducesOutput }: Conversation, output: OutputLimits) {
  const { window, maxOutputTokens } = output;
  if (reducesOutput) {
    // Half of the window by default, so that short prompts need no count.
    const wanted = Math.min(maxTokens ?? Math.floor(window / 2), maxOutputTokens);
    return { wanted, minTokens: Math.min(minReducedTokens, wanted) };
  }
  refuseLongOutput(maxTokens, output);
  return { wanted: maxTokens ?? Math.min(limits.defaultChatTokens, maxOutputTokens), minTokens: maxTokens ?? 1 };
}

interface OutputLimits {
  readonly model: string;
  readonly window: number;
  readonly maxOutputTokens: number;
}

/**
 * Throws 400 if `max_tokens` exceeds the model's maximum output. Without a maximum below the window, the context
 * length check applies instead.
 */
export function refuseLongOutput(
  maxTokens: number | undefined,
  { model, window, maxOutputTokens }: OutputLimits,
): void {
  if (maxOutputTokens >= window || (maxTokens ?? 0) <= maxOutputTokens) return;
  const detail = `max_tokens must be at most ${maxOutputTokens} for ${model}.`;
  throw new ServiceError('INVALID_FORMAT', detail, { field: { path: 'max_tokens', isMissing: false } });
}

const templateTokens = ({ messages }: Pick<Conversation, 'messages'>): number =>
  overhead + overheadPerMessage * messages.length;

/** Counts the tokens of a prompt of any length. */
export const promptTokens = async (prompt: Pick<Conversation, 'messages' | 'functions'>, tokenizer: Tokenizer) =>
  templateTokens(prompt) + (await countTokens(promptTexts(prompt), tokenizer));

export function promptTexts({ messages, functions }: Pick<Conversation, 'messages' | 'functions'>): string[] {
  const texts: string[] = [];
  for (const { content, name, tool_calls: calls = [] } of messages) {
    if (content) texts.push(content);
    if (name) texts.push(name);
    for (const call of calls) texts.push(call.function.name + call.function.arguments);
  }
  if (functions.length > 0) texts.push(JSON.stringify(functions));
  return texts;
}

/**
 * Text that hosted models and some chat templates read as input: the schema of the reply, and ids of calls. Not part of
 * the context length, because most servers omit it from the prompt.
 */
export function furtherInput({ messages, output }: Pick<Conversation, 'messages' | 'output'>): string {
  const schema = output?.type === 'json_schema' ? JSON.stringify(responseFormat(output)) : '';
  const ids = messages.flatMap(({ tool_calls: calls = [], tool_call_id: of = '' }) => [
    of,
    ...calls.map(({ id }) => id),
  ]);
  return ids.join('') + schema;
}

export function toModelRequest(conversation: Conversation, maxTokens: number): ModelChatRequest {
  const { messages, sampling, functions, toolChoice, output, extras } = conversation;
  return {
    messages,
    max_tokens: maxTokens,
    ...modelSampling(sampling),
    ...(functions.length > 0 && {
      tools: functions.map((offered) => ({ type: 'function', function: offered })),
      tool_choice: typeof toolChoice === 'object' ? { type: 'function', function: toolChoice } : toolChoice,
    }),
    ...(output && { response_format: responseFormat(output) }),
    ...extras,
  };
}

/** Requests a reply again, with different sampling, because the same sampling could return the same reply. */
export function againDifferently(request: ModelChatRequest): ModelChatRequest {
  const { temperature, seed } = request;
  return {
    ...request,
    temperature: Math.max(0.5, Number(temperature)),
    ...(typeof seed === 'number' && { seed: nextSeed(seed, 1) }),
  };
}

export const nextSeed = (seed: number, by: number): number => (seed + by) % Number.MAX_SAFE_INTEGER;

/** Metadata of a response. `created` in Unix seconds. */
export interface ResponseMetadata {
  readonly id: string;
  readonly created: number;
  readonly model: string;
}

export interface ChatEnd {
  readonly reason: EndReason;
  /** The stop sequence that ended the output, if the container reports it. */
  readonly stopSequence?: string | null | undefined;
  readonly called: boolean;
  readonly usage: ModelUsage;
}

export interface ChatReply extends ChatEnd {
  readonly content: string;
  /** Whether the content is the model's refusal to respond. */
  readonly isRefusal?: true | undefined;
  readonly reasoning: string;
  /** Log probabilities as reported by the model, not validated. */
  readonly logprobs?: unknown;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
}

/** A piece of text, of reasoning, or of a call's arguments. `opened` is set on the first piece of a call. */
export type ChatPiece = TextPiece | { readonly reasoning: string };
export type TextPiece = ContentPiece | { readonly call: CallPiece };

export interface ContentPiece {
  readonly content: string;
  /** Whether the content is the model's refusal to respond. */
  readonly isRefusal?: true;
  /** Log probabilities as reported by the model, not validated. */
  readonly logprobs?: unknown;
}

export interface CallPiece {
  readonly index: number;
  readonly opened?: { readonly id: string; readonly name: string };
  readonly arguments: string;
}

export interface ChatFormat<Body> {
  /** Maximum function calls per response; further ones are dropped. */
  readonly maxCalls: number;
  body(reply: ChatReply, about: ResponseMetadata): Body;
  /** Chunks that precede the first piece. `countPrompt` counts the tokens of the prompt. */
  openingChunks?(about: ResponseMetadata, countPrompt: () => Promise<number>): Promise<readonly unknown[]>;
  pieceChunks(piece: TextPiece, about: ResponseMetadata, isFirst: boolean): readonly unknown[];
  /** Formats without it omit the model's reasoning. */
  reasoningChunks?(reasoning: string, about: ResponseMetadata, isFirst: boolean): readonly unknown[];
  endChunks(end: ChatEnd, about: ResponseMetadata, isFirst: boolean): readonly unknown[];
  /** Chunks that follow the ends of several choices. */
  totalChunks?(usage: ModelUsage, about: ResponseMetadata): readonly unknown[];
  /** Chunks that report a failure after the first chunk, in place of the route's error event. */
  failureChunks?(refusal: Refusal, about: ResponseMetadata): readonly unknown[];
}

/** Converts the model's reply. Throws 502 if it calls a function that was not offered. */
export function chatReply(
  reply: ModelChatReply,
  usage: ModelUsage,
  about: ResponseMetadata,
  { maxCalls, offered }: { readonly maxCalls: number; readonly offered: ReadonlySet<string> },
): ChatReply {
  const [choice] = reply.choices;
  const calls = (choice?.message.tool_calls ?? []).slice(0, maxCalls).map((call, index) => ({
    id: call.id || callId(about, index),
    name: offeredName(call.function.name, offered),
    arguments: call.function.arguments,
  }));
  const { content, isRefusal, reasoning } = choice?.message ?? {};
  return {
    content: content ?? '',
    isRefusal,
    reasoning: reasoning ?? '',
    logprobs: choice?.logprobs,
    calls,
    called: calls.length > 0,
    reason: endReason(choice?.finish_reason),
    stopSequence: choice?.stop_reason,
    usage,
  };
}

type CheckedReply = Pick<ChatReply, 'called' | 'isRefusal' | 'reason' | 'content'>;

/** Refusals, truncated replies and calls are not checked. */
export function mismatchOf(reply: CheckedReply, check: OutputCheck | undefined): Mismatch {
  return reply.called || reply.isRefusal || reply.reason !== 'stop' ? undefined : check?.(reply.content);
}

function offeredName(name: string | null | undefined, offered: ReadonlySet<string>): string {
  if (name && offered.has(name)) return name;
  throw new ServiceError('MODEL_ERROR', 'The model called a function that was not offered.');
}

const callId = ({ id }: ResponseMetadata, index: number): string => `${id}-call-${index}`;

export interface ChatStream {
  readonly chunks: AsyncIterable<ModelChunk>;
  readonly format: Omit<ChatFormat<unknown>, 'body' | 'totalChunks' | 'failureChunks'>;
  readonly countPrompt: () => Promise<number>;
  readonly offered: ReadonlySet<string>;
  readonly check?: OutputCheck | undefined;
  readonly about: ResponseMetadata;
  readonly delivered: DeliveredText;
  readonly onUsage: (usage: ModelUsage | null | undefined) => Promise<ModelUsage>;
}

/**
 * Stops a model that exceeds its `max_tokens`. Throws 502 if it calls a function that was not offered, or at its end if
 * the text does not fit.
 */
export async function* chatChunks(stream: ChatStream): AsyncGenerator {
  const { chunks, format, offered, check, about, delivered, countPrompt, onUsage } = stream;
  const calls = callReader(about, format.maxCalls, offered);
  let usage: ModelUsage | null | undefined;
  let reason: string | null | undefined;
  let stopSequence: string | null | undefined;
  let called = false;
  let content = '';
  let isRefusal: true | undefined;
  let isFirst = true;
  let isOpen = format.openingChunks === undefined;

  async function* opening() {
    isOpen = true;
    yield* (await format.openingChunks?.(about, countPrompt)) ?? [];
  }

  for await (const chunk of chunks) {
    const [choice] = chunk.choices;
    usage = chunk.usage ?? usage;
    reason = choice?.finish_reason ?? reason;
    stopSequence = choice?.stop_reason ?? stopSequence;
    for (const piece of pieces(choice, calls)) {
      if (!isOpen) yield* opening();
      // Reasoning that the format omits is charged too, if the stream is cancelled.
      delivered.add(textOf(piece));
      if ('reasoning' in piece && !format.reasoningChunks) continue;
      called ||= 'call' in piece;
      if (check && 'content' in piece) {
        content += piece.content;
        isRefusal ||= piece.isRefusal;
      }
      const made =
        'reasoning' in piece
          ? (format.reasoningChunks?.(piece.reasoning, about, isFirst) ?? [])
          : format.pieceChunks(piece, about, isFirst);
      // `yield*` would create an async iterator for each array.
      for (const chunk of made) yield chunk;
      isFirst = false;
    }
    if (delivered.isSuspicious && (await delivered.isOverlong())) {
      [usage, reason] = [undefined, 'length'];
      break;
    }
  }
  if (!isOpen) yield* opening();
  const end = { reason: endReason(reason), stopSequence, called, usage: await onUsage(usage) };
  const mismatch = mismatchOf({ ...end, content, isRefusal }, check);
  if (mismatch) throw mismatchError({ problem: mismatch.violation ?? mismatch.problem });
  yield* format.endChunks(end, about, isFirst);
}

function textOf(piece: ChatPiece): string {
  if ('call' in piece) return (piece.call.opened?.name ?? '') + piece.call.arguments;
  return 'content' in piece ? piece.content : piece.reasoning;
}

type Choice = ModelChunk['choices'][number];
type Delta = NonNullable<Choice['delta']>;
type CallDelta = NonNullable<Delta['tool_calls']>[number];
type CallReader = (delta: CallDelta, position: number) => CallPiece | undefined;

function* pieces({ delta, logprobs }: Choice = {}, readCall: CallReader): Generator<ChatPiece> {
  if (delta?.reasoning) yield { reasoning: delta.reasoning };
  if (delta?.content) yield { content: delta.content, ...(delta.isRefusal && { isRefusal: true }), logprobs };
  for (const [position, part] of (delta?.tool_calls ?? []).entries()) {
    const call = readCall(part, position);
    if (call) yield { call };
  }
}

/**
 * Numbers the calls in order of appearance. Drops calls beyond the maximum. Some engines send the same index, or none,
 * for each of several calls: a different id then begins another call.
 */
function callReader(about: ResponseMetadata, maxCalls: number, offered: ReadonlySet<string>): CallReader {
  const open = new Map<number, { readonly index: number | undefined; readonly id: string | null | undefined }>();
  let made = 0;
  return ({ index: given, id, function: { name, arguments: text } }, position) => {
    const known = open.get(given ?? position);
    if (known && !(id && known.id && id !== known.id)) {
      return text && known.index !== undefined ? { index: known.index, arguments: text } : undefined;
    }
    const index = made < maxCalls ? made : undefined;
    open.set(given ?? position, { index, id });
    if (index === undefined) return undefined;
    made += 1;
    const opened = { id: id || callId(about, index), name: offeredName(name, offered) };
    return { index, opened, arguments: text ?? '' };
  };
}
