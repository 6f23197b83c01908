import * as v from 'valibot';
import type { ChatLogprobs, CompletionLogprobs } from '#contract/inference/openai-fields.ts';
import type {
  OpenAiChatCompletion,
  OpenAiChatRequest,
  OpenAiCompletion,
  OpenAiCompletionRequest,
} from '#contract/inference/openai.ts';
import { limits } from '#contract/shared/limits.ts';
import { cleanText } from '../shared/text.ts';
import type { CallPiece, ChatFormat, ChatReply, ContentPiece, ResponseMetadata } from './chat.ts';
import type { Bodies } from './choices.ts';
import type { CompletionFormat } from './completion.ts';
import { detailed, type ModelUsage, reasonOf } from './model-stream.ts';
import { functionDelta } from './specified-chat.ts';

type Message = OpenAiChatCompletion['choices'][number]['message'];

/**
 * A choice of an OpenAI response. Requests with `functions` receive a `function_call`, all others `tool_calls`. The
 * usage of a stream follows the end of its last choice.
 */
export function openAiChat(request: OpenAiChatRequest, index = 0): ChatFormat<OpenAiChatCompletion> {
  const offersFunctions = Boolean(request.functions?.length);
  const calledReason = offersFunctions ? 'function_call' : 'tool_calls';
  const callDelta = offersFunctions ? functionDelta : toolDelta;
  const includesUsage = request.stream_options?.include_usage ?? false;
  const isOnly = (request.n ?? 1) === 1;

  function chunk({ id, created, model }: ResponseMetadata, choices: readonly object[], usage: object | null = null) {
    return { id, object: 'chat.completion.chunk', created, model, choices, ...(includesUsage && { usage }) };
  }
  const logprobsOf = (given: unknown) => (request.logprobs ? chatLogprobs(given) : null);
  const part = (about: ResponseMetadata, delta: object, finish_reason: string | null = null, logprobs?: unknown) =>
    chunk(about, [{ index, delta, logprobs: logprobsOf(logprobs), finish_reason }]);
  const role = (about: ResponseMetadata, content: '' | null) =>
    part(about, { role: 'assistant', content, refusal: null });
  const totalChunks = (usage: ModelUsage, about: ResponseMetadata) =>
    includesUsage ? [chunk(about, [], detailed(usage))] : [];

  return {
    maxCalls: offersFunctions || request.parallel_tool_calls === false ? 1 : limits.functions,
    body({ usage, ...reply }, { id, created, model }) {
      const message = { ...messageOf(reply), ...calls(reply, offersFunctions) };
      const logprobs = logprobsOf(reply.logprobs);
      const choice = { index, message, logprobs, finish_reason: reasonOf(reply, calledReason) };
      return { id, object: 'chat.completion', created, model, choices: [choice], usage: detailed(usage) };
    },
    pieceChunks(piece, about, isFirst) {
      const isText = 'content' in piece && !piece.isRefusal;
      const next =
        'content' in piece ? part(about, textDelta(piece), null, piece.logprobs) : part(about, callDelta(piece));
      return isFirst ? [role(about, isText ? '' : null), next] : [next];
    },
    reasoningChunks(reasoning, about, isFirst) {
      const next = part(about, { reasoning_content: reasoning });
      return isFirst ? [role(about, ''), next] : [next];
    },
    endChunks: ({ usage, ...end }, about, isFirst) => [
      ...(isFirst ? [role(about, '')] : []),
      part(about, {}, reasonOf(end, calledReason)),
      ...(isOnly ? totalChunks(usage, about) : []),
    ],
    totalChunks,
  };
}

/** Merges the choices of all responses into one response. */
export function joinChats(bodies: Bodies<OpenAiChatCompletion>, usage: ModelUsage): OpenAiChatCompletion {
  return { ...bodies[0], choices: bodies.flatMap(({ choices }) => choices), usage: detailed(usage) };
}

function messageOf({ content, isRefusal, reasoning, called }: Omit<ChatReply, 'usage'>): Message {
  return {
    role: 'assistant',
    content: isRefusal || (called && content === '') ? null : content,
    refusal: isRefusal ? content : null,
    ...(reasoning && { reasoning_content: reasoning }),
  };
}

function calls({ calls: made }: Pick<ChatReply, 'calls'>, asFunction: boolean): Partial<Message> {
  const [first] = made;
  if (!first) return {};
  if (asFunction) return { function_call: { name: first.name, arguments: first.arguments } };
  const tool_calls = made.map(({ id, name, arguments: text }) => ({
    id,
    type: 'function' as const,
    function: { name, arguments: text },
  }));
  return { tool_calls };
}

function textDelta({ content, isRefusal }: ContentPiece) {
  return isRefusal ? { refusal: content } : { content };
}

function toolDelta(piece: { readonly call: CallPiece }) {
  const { index, opened, arguments: text } = piece.call;
  const tool = opened
    ? { index, id: opened.id, type: 'function', function: { name: opened.name, arguments: text } }
    : { index, function: { arguments: text } };
  return { tool_calls: [tool] };
}

/** A choice of an OpenAI response. The usage of a stream follows the end of its last choice, if requested. */
export function openAiCompletion(request: OpenAiCompletionRequest, index = 0): CompletionFormat<OpenAiCompletion> {
  const includesUsage = request.stream_options?.include_usage ?? false;
  const isOnly = request.n === 1;

  function chunk({ id, created, model }: ResponseMetadata, choices: readonly object[], usage: object | null = null) {
    return { id, object: 'text_completion', created, model, choices, ...(includesUsage && { usage }) };
  }
  const logprobsOf = (given: unknown) => (typeof request.logprobs === 'number' ? completionLogprobs(given) : null);
  const part = (about: ResponseMetadata, text: string, given?: unknown, finish_reason: string | null = null) =>
    chunk(about, [{ text, index, logprobs: logprobsOf(given), finish_reason }]);
  const totalChunks = (usage: ModelUsage, about: ResponseMetadata) =>
    includesUsage ? [chunk(about, [], detailed(usage))] : [];

  return {
    body: ({ text, logprobs, reason, usage }, { id, created, model }, prompt) => ({
      id,
      object: 'text_completion',
      created,
      model,
      choices: [
        {
          text: request.echo ? prompt + text : text,
          index,
          logprobs: logprobsOf(logprobs),
          finish_reason: reason,
        },
      ],
      usage: detailed(usage),
    }),
    ...(request.echo && { promptChunk: (prompt: string, about: ResponseMetadata) => part(about, prompt) }),
    textChunk: (text, about, logprobs) => part(about, text, logprobs),
    endChunks: ({ reason, usage }, about) => [
      part(about, '', null, reason),
      ...(isOnly ? totalChunks(usage, about) : []),
    ],
    totalChunks,
  };
}

/** Merges the choices of all responses into one response. */
export function joinCompletions(bodies: Bodies<OpenAiCompletion>, usage: ModelUsage): OpenAiCompletion {
  return { ...bodies[0], choices: bodies.flatMap(({ choices }) => choices), usage: detailed(usage) };
}

const Token = v.pipe(v.string(), v.transform(cleanText));
const Logprob = v.pipe(v.number(), v.finite());
const Bytes = v.nullish(v.array(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(255))), null);

const entries = { token: Token, logprob: Logprob, bytes: Bytes };

const OfChat = v.object({
  content: v.nullable(
    v.array(
      v.object({
        ...entries,
        top_logprobs: v.nullish(v.pipe(v.array(v.object(entries)), v.maxLength(limits.topLogprobs)), []),
      }),
    ),
  ),
  refusal: v.optional(v.null(), null),
});

const OfCompletion = v.object({
  tokens: v.array(Token),
  token_logprobs: v.array(v.nullable(Logprob)),
  top_logprobs: v.nullish(v.array(v.nullable(v.record(Token, Logprob))), null),
  text_offset: v.nullish(v.array(v.number()), []),
});

/** The model's log probabilities. Null if it reports none or invalid ones. */
const chatLogprobs = (given: unknown): ChatLogprobs | null => readable(OfChat, given);

const completionLogprobs = (given: unknown): CompletionLogprobs | null => readable(OfCompletion, given);

function readable<const S extends v.GenericSchema>(schema: S, given: unknown): v.InferOutput<S> | null {
  const parsed = v.safeParse(schema, given);
  return parsed.success ? parsed.output : null;
}
