import * as v from 'valibot';
import { decimal, integer, isJsonObject, text } from './fields.ts';
import { limits } from './limits.ts';
import { type Capability, models } from './models.ts';

const nonEmpty = v.pipe(v.string('must be a string'), v.minLength(1, 'must not be empty'));
const content = v.pipe(
  v.string('must be a string'),
  v.check((value) => value.isWellFormed(), 'must be well-formed Unicode'),
);
const functionName = v.pipe(text(64), v.regex(/^[A-Za-z0-9_.-]+$/, 'must have only letters, digits, _, . and -'));

const modelFor = (capability: Capability) =>
  v.picklist(
    models.filter((model) => model.capabilities.includes(capability)).map((model) => model.id),
    `must name a ${capability} model`,
  );

const FunctionCall = v.object({ name: functionName, arguments: content }, 'must be an object');

const Message = v.variant(
  'role',
  [
    v.object({ role: v.literal('system'), content }),
    v.object({ role: v.literal('user'), content }),
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
  'must be an object with a role of system, user, assistant or function',
);

const FunctionDefinition = v.object(
  {
    name: functionName,
    description: v.optional(content),
    parameters: v.optional(v.custom<Record<string, unknown>>(isJsonObject, 'must be a JSON schema object')),
  },
  'must be an object',
);

const sampling = {
  temperature: v.optional(decimal(0, 2), 1),
  top_p: v.optional(decimal(0, 1), 1),
  top_k: v.optional(integer(1), 50),
  frequency_penalty: v.optional(decimal(-2, 2), 0),
  presence_penalty: v.optional(decimal(-2, 2), 0),
  stop: v.optional(
    v.nullable(
      v.union(
        [
          nonEmpty,
          v.pipe(
            v.array(nonEmpty, 'must be a list'),
            v.maxLength(limits.stopSequences, `must have at most ${limits.stopSequences} sequences`),
          ),
        ],
        `must be a non-empty string or a list of at most ${limits.stopSequences} non-empty strings`,
      ),
    ),
  ),
  stream: v.optional(v.boolean('must be true or false'), false),
};

/** Body of POST /chat/completions; unknown fields are ignored and never forwarded. */
export const ChatRequest = v.pipe(
  v.object(
    {
      model: modelFor('chat'),
      messages: v.pipe(
        v.array(Message, 'must be a list'),
        v.minLength(1, 'must not be empty'),
        v.maxLength(limits.messages, `must have at most ${limits.messages} messages`),
      ),
      max_tokens: v.optional(integer(1)),
      ...sampling,
      functions: v.optional(
        v.nullable(
          v.pipe(
            v.array(FunctionDefinition, 'must be a list'),
            v.maxLength(limits.functions, `must have at most ${limits.functions} functions`),
          ),
        ),
      ),
      function_call: v.optional(
        v.nullable(
          v.union(
            [v.picklist(['none', 'auto']), v.object({ name: functionName })],
            'must be none, auto or an object with the name of a function',
          ),
        ),
      ),
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

const Usage = v.object({
  prompt_tokens: v.number(),
  completion_tokens: v.number(),
  total_tokens: v.number(),
});

export const ChatCompletion = v.object({
  id: v.string(),
  object: v.literal('chat.completion'),
  created: v.number(),
  model: v.string(),
  choices: v.array(
    v.object({
      index: v.number(),
      message: v.object({
        role: v.literal('assistant'),
        content: v.string(),
        function_call: v.optional(v.object({ name: v.string(), arguments: v.string() })),
      }),
      finish_reason: v.picklist(finishReasons),
    }),
  ),
  usage: Usage,
});
export type ChatCompletion = v.InferOutput<typeof ChatCompletion>;

/** Body of POST /completions. */
export const CompletionRequest = v.object(
  { model: modelFor('completion'), prompt: nonEmpty, max_tokens: v.optional(integer(1)), ...sampling },
  'must be a JSON object',
);
export type CompletionRequest = v.InferOutput<typeof CompletionRequest>;

export const Completion = v.object({
  id: v.string(),
  object: v.literal('text_completion'),
  created: v.number(),
  model: v.string(),
  choices: v.array(
    v.object({ text: v.string(), index: v.number(), logprobs: v.null(), finish_reason: v.picklist(finishReasons) }),
  ),
  usage: Usage,
});
export type Completion = v.InferOutput<typeof Completion>;

/** Body of POST /embeddings. */
export const EmbeddingsRequest = v.object(
  {
    model: modelFor('embeddings'),
    input: v.union(
      [
        nonEmpty,
        v.pipe(
          v.array(nonEmpty, 'must be a list'),
          v.minLength(1, 'must not be empty'),
          v.maxLength(limits.embeddingTexts, `must have at most ${limits.embeddingTexts} texts`),
        ),
      ],
      'must be a non-empty string or a list of non-empty strings',
    ),
    encoding_format: v.optional(v.picklist(['float', 'base64'], 'must be float or base64'), 'float'),
    dimensions: v.optional(v.nullable(integer(1, 4096))),
    user: v.optional(v.nullable(v.string('must be a string'))),
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
      index: v.number(),
      embedding: v.union([v.array(v.number()), v.string()]),
    }),
  ),
  model: v.string(),
  usage: v.object({ prompt_tokens: v.number(), total_tokens: v.number() }),
});
export type EmbeddingList = v.InferOutput<typeof EmbeddingList>;

export const ModelList = v.array(
  v.object({
    id: v.string(),
    object: v.literal('model'),
    created: v.number(),
    owned_by: v.string(),
    capabilities: v.array(v.string()),
    context_window: v.number(),
    max_output_tokens: v.nullable(v.number()),
    dimensions: v.nullable(v.number()),
    min_plan: v.string(),
  }),
);
