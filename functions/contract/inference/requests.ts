import * as v from 'valibot';
import { integer, text, whole } from '../shared/fields.ts';
import { limits } from '../shared/limits.ts';
import {
  content,
  FunctionCall,
  FunctionChoice,
  functionName,
  Functions,
  messageList,
  modelFor,
  nonEmpty,
  roleRule,
  samplingDefaults,
  samplingRules,
  TokenUsage,
  withoutEffect,
} from './inference-fields.ts';
import { maxDimensions } from './models.ts';

const Message = v.variant(
  'role',
  [
    // Validated in this order. Each mismatch creates an issue, so the most frequent role comes first.
    v.object({ role: v.literal('user'), content }),
    v.object({ role: v.literal('system'), content }),
    v.object({ role: v.literal('function'), name: functionName, content }),
    v.pipe(
      v.object({
        role: v.literal('assistant'),
        content: v.optional(v.nullable(content)),
        function_call: v.optional(FunctionCall),
      }),
      v.check(
        (message) => typeof message.content === 'string' || message.function_call !== undefined,
        'must have content unless it has a function_call',
      ),
    ),
  ],
  roleRule('system, user, assistant or function'),
);

const sampling = {
  temperature: v.optional(samplingRules.temperature, samplingDefaults.temperature),
  top_p: v.optional(samplingRules.top_p, samplingDefaults.top_p),
  top_k: v.optional(samplingRules.top_k, samplingDefaults.top_k),
  frequency_penalty: v.optional(samplingRules.penalty, samplingDefaults.penalty),
  presence_penalty: v.optional(samplingRules.penalty, samplingDefaults.penalty),
  stop: v.optional(v.nullable(samplingRules.stop)),
  stream: v.optional(samplingRules.stream, false),
};

/** Body of POST /chat/completions. Unknown fields are ignored and never forwarded. */
export const ChatRequest = v.pipe(
  v.object(
    {
      model: modelFor('chat'),
      messages: messageList(Message),
      max_tokens: v.optional(
        v.pipe(
          integer(1),
          v.description(
            'Maximum number of tokens to generate; by default 1024, or fewer if the context has less room.',
          ),
        ),
      ),
      ...sampling,
      functions: v.optional(v.nullable(Functions)),
      function_call: v.optional(v.nullable(FunctionChoice)),
    },
    'must be a JSON object',
  ),
  v.forward(
    v.check(
      ({ functions, function_call: call }) =>
        typeof call !== 'object' || call === null || (functions ?? []).some((offered) => offered.name === call.name),
      'must name one of the functions',
    ),
    ['function_call'],
  ),
);
export type ChatRequest = v.InferOutput<typeof ChatRequest>;
export type ChatMessage = v.InferOutput<typeof Message>;

export const finishReasons = ['stop', 'length', 'content_filter', 'function_call'] as const;

export const ChatCompletion = v.object({
  id: v.string(),
  object: v.literal('chat.completion'),
  created: v.pipe(whole, v.description('Unix time in seconds.')),
  model: v.string(),
  choices: v.array(
    v.object({
      index: whole,
      message: v.object({
        role: v.literal('assistant'),
        content: v.string(),
        function_call: v.optional(v.object({ name: v.string(), arguments: v.string() })),
      }),
      finish_reason: v.picklist(finishReasons),
    }),
  ),
  usage: TokenUsage,
});
export type ChatCompletion = v.InferOutput<typeof ChatCompletion>;

/** Body of POST /completions. */
export const CompletionRequest = v.object(
  {
    model: modelFor('completion'),
    prompt: nonEmpty,
    max_tokens: v.optional(
      v.pipe(
        integer(1),
        v.description('Maximum number of tokens to generate; by default 100, or fewer if the context has less room.'),
      ),
    ),
    ...sampling,
  },
  'must be a JSON object',
);
export type CompletionRequest = v.InferOutput<typeof CompletionRequest>;

export const Completion = v.object({
  id: v.string(),
  object: v.literal('text_completion'),
  created: v.pipe(whole, v.description('Unix time in seconds.')),
  model: v.string(),
  choices: v.array(
    v.object({ text: v.string(), index: whole, logprobs: v.null(), finish_reason: v.picklist(finishReasons) }),
  ),
  usage: TokenUsage,
});
export type Completion = v.InferOutput<typeof Completion>;

export const textList = (maxTexts: number) =>
  v.pipe(
    v.array(nonEmpty, 'must be a list'),
    v.minLength(1, 'must not be empty'),
    v.maxLength(maxTexts, `must have at most ${maxTexts} texts`),
  );

/** Body of POST /embeddings. */
export const EmbeddingsRequest = v.object(
  {
    model: modelFor('embeddings'),
    input: v.union(
      [nonEmpty, textList(limits.embeddingTexts)],
      'must be non-empty, well-formed Unicode, or a list of such strings; tokens are not supported',
    ),
    encoding_format: v.optional(v.picklist(['float', 'base64'], 'must be float or base64'), 'float'),
    dimensions: v.optional(v.nullable(integer(1, maxDimensions))),
    user: v.optional(v.nullable(withoutEffect(content))),
  },
  'must be a JSON object',
);
export type EmbeddingsRequest = v.InferOutput<typeof EmbeddingsRequest>;

/** An `embedding` is a list of numbers, or base64 of little-endian 32-bit floats. */
export const EmbeddingList = v.object({
  object: v.literal('list'),
  data: v.array(
    v.object({
      object: v.literal('embedding'),
      index: whole,
      embedding: v.union([v.array(v.number()), v.string()]),
    }),
  ),
  model: v.string(),
  usage: v.object({ prompt_tokens: whole, total_tokens: whole }),
});
export type EmbeddingList = v.InferOutput<typeof EmbeddingList>;

const credits = v.pipe(v.number(), v.minValue(0));

/** Credits per request and per million tokens. Absent for models at their service's price. */
const ListedPrice = v.object({
  per_request: credits,
  input: credits,
  cached_input: credits,
  cache_write: credits,
  output: credits,
});

const dateOf = (event: string) => v.exactOptional(v.pipe(v.string(), v.description(`Day in UTC of its ${event}.`)));

export const ListedModel = v.object({
  id: v.string(),
  object: v.literal('model'),
  created: v.pipe(whole, v.description('Unix time in seconds.')),
  owned_by: v.string(),
  capabilities: v.array(v.string()),
  context_window: whole,
  max_output_tokens: v.nullable(whole),
  dimensions: v.nullable(whole),
  min_plan: v.string(),
  price: v.exactOptional(ListedPrice),
  price_changes: v.exactOptional(
    v.pipe(
      v.array(v.object({ effective_from: v.string(), ...ListedPrice.entries })),
      v.description('Future prices, each from the day `effective_from` in UTC.'),
    ),
  ),
  deprecated_from: dateOf('deprecation'),
  retired_from: dateOf('retirement, from which calls return 404'),
  replaced_by: v.exactOptional(v.string()),
});

export const ModelList = v.array(ListedModel);

export const RequestPath = v.object({ requestId: text(64) });

/** `cancelled`: the running stream stops at its next chunk. `finished`: it had already ended. */
export const RequestCancellation = v.object({
  requestId: v.string(),
  status: v.picklist(['cancelled', 'finished']),
});
