import * as v from 'valibot';
import { integer, text, whole } from '../shared/fields.ts';
import { isJsonObject } from '../shared/json.ts';
import { limits } from '../shared/limits.ts';
import {
  content,
  DetailedUsage,
  FunctionCall,
  FunctionChoice,
  FunctionDefinition,
  functionName,
  Functions,
  messageList,
  modelFor,
  nonEmpty,
  roleRule,
  samplingDefaults,
  samplingRules,
  schemaFormat,
  toolList,
  typeRule,
} from './inference-fields.ts';
import {
  ChatLogprobs,
  CompletionLogprobs,
  descriptions,
  forwardedByChat,
  forwardedByCompletion,
  unservedByChat,
  unservedOptions,
  TokenIdLists,
  TokenIds,
} from './openai-fields.ts';
import { Completion, EmbeddingsRequest, finishReasons, ModelList, textList } from './requests.ts';

const { temperature, top_p, top_k, penalty, stop, stream } = samplingRules;

/** All fields are optional, so Valibot alone would accept an array. */
const streamOptions = v.intersect([
  v.custom<Record<string, unknown>>(isJsonObject, 'must be an object'),
  v.object({ include_usage: v.nullish(v.boolean('must be true or false'), false) }),
]);

/** Sampling parameters and stream options of OpenAI's clients. Null is equivalent to an absent field. */
const nullableSampling = {
  temperature: v.nullish(temperature, samplingDefaults.temperature),
  top_p: v.nullish(top_p, samplingDefaults.top_p),
  top_k: v.nullish(top_k, samplingDefaults.top_k),
  frequency_penalty: v.nullish(penalty, samplingDefaults.penalty),
  presence_penalty: v.nullish(penalty, samplingDefaults.penalty),
  stop: v.nullish(stop),
  seed: v.nullish(integer(0)),
  stream: v.nullish(stream, false),
  stream_options: v.nullish(streamOptions),
};

const n = v.nullish(
  v.pipe(integer(1, limits.choices), v.description('Number of choices. Each is charged like a call.')),
  1,
);

const onePrompt = v.pipe(
  v.union([v.strictTuple([nonEmpty]), v.strictTuple([TokenIds])]),
  v.transform(([prompt]) => prompt),
);

/**
 * Body of POST /openai/v1/completions. Refuses options whose response is not supported, and ignores other unknown
 * fields.
 */
export const OpenAiCompletionRequest = v.pipe(
  v.object(
    {
      model: modelFor('completion'),
      prompt: v.union(
        [nonEmpty, TokenIds, onePrompt],
        'must be one prompt: non-empty, well-formed Unicode, or cl100k_base token ids from 0 to 100255, or a list with one of these',
      ),
      max_tokens: v.nullish(integer(1)),
      ...nullableSampling,
      n,
      echo: v.nullish(v.boolean('must be true or false'), false),
      ...forwardedByCompletion,
      best_of: v.nullish(v.literal(1, 'must be 1')),
      suffix: v.nullish(v.literal('', 'is not supported; models only continue a text')),
      ...unservedOptions,
      ...descriptions,
    },
    'must be a JSON object',
  ),
  v.forward(
    v.check(
      ({ echo, logprobs }) => !echo || typeof logprobs !== 'number',
      'must not be sent together with logprobs; only generated tokens have log probabilities',
    ),
    ['echo'],
  ),
);
export type OpenAiCompletionRequest = v.InferOutput<typeof OpenAiCompletionRequest>;

/** Body of POST /openai/v1/embeddings. */
export const OpenAiEmbeddingsRequest = v.object(
  {
    ...EmbeddingsRequest.entries,
    input: v.union(
      [nonEmpty, textList(limits.openAiEmbeddingTexts), TokenIds, TokenIdLists],
      'must be non-empty, well-formed Unicode, a list of such strings, or one or more lists of cl100k_base token ids from 0 to 100255',
    ),
    encoding_format: v.nullish(EmbeddingsRequest.entries.encoding_format.wrapped, 'float'),
  },
  'must be a JSON object',
);
export type OpenAiEmbeddingsRequest = v.InferOutput<typeof OpenAiEmbeddingsRequest>;

export const OpenAiModelList = v.object({ object: v.literal('list'), data: ModelList });

export const ModelPath = v.object({ model: text(64) });

const TextPart = v.variant('type', [
  v.object({ type: v.literal('text'), text: content }),
  v.pipe(
    v.object({ type: v.literal('refusal'), refusal: content }),
    v.transform(({ refusal }) => ({ type: 'text' as const, text: refusal })),
  ),
]);

/** Text or a list of text parts, which are joined by line breaks as in vLLM. */
const Text = v.union(
  [
    content,
    v.pipe(
      v.array(TextPart),
      v.minLength(1),
      v.transform((parts) => parts.map((part) => part.text).join('\n')),
    ),
  ],
  'must be well-formed Unicode or a list of text parts; images, audio and files are not supported',
);

const callId = text(256);
const ToolCall = v.object(
  {
    id: callId,
    type: v.optional(v.literal('function', 'must be function'), 'function'),
    function: FunctionCall,
  },
  'must be an object',
);

const Message = v.variant(
  'role',
  [
    v.object({ role: v.literal('user'), content: Text }),
    v.object({ role: v.literal('system'), content: Text }),
    v.pipe(
      v.object({ role: v.literal('developer'), content: Text }),
      v.transform((message) => ({ ...message, role: 'system' as const })),
    ),
    v.pipe(
      v.object({
        role: v.literal('assistant'),
        content: v.nullish(Text),
        tool_calls: v.nullish(v.array(ToolCall, 'must be a list')),
        function_call: v.nullish(FunctionCall),
        refusal: v.nullish(content),
      }),
      v.transform(({ refusal, content: text, ...message }) => ({ ...message, content: text ?? refusal })),
    ),
    v.object({ role: v.literal('tool'), tool_call_id: callId, content: Text }),
    v.object({ role: v.literal('function'), name: functionName, content: Text }),
  ],
  roleRule('system, developer, user, assistant, tool or function'),
);

const Tool = v.object(
  { type: v.literal('function', 'must be function; other tools are not supported'), function: FunctionDefinition },
  'must be an object',
);

const ToolChoice = v.union(
  [
    v.picklist(['none', 'auto', 'required']),
    v.object({ type: v.literal('function'), function: v.object({ name: functionName }) }),
    v.object({
      type: v.literal('allowed_tools'),
      allowed_tools: v.object({
        mode: v.picklist(['auto', 'required']),
        tools: v.pipe(
          v.array(v.object({ type: v.literal('function'), function: v.object({ name: functionName }) })),
          v.minLength(1),
          v.maxLength(limits.functions),
        ),
      }),
    }),
  ],
  'must be none, auto, required, an object with the name of a function, or allowed_tools with a mode and functions',
);

const ResponseFormat = v.variant(
  'type',
  [
    v.object({ type: v.literal('text') }),
    v.object({ type: v.literal('json_object') }),
    v.object({ type: v.literal('json_schema'), json_schema: v.object(schemaFormat, 'must be an object') }),
  ],
  typeRule('text, json_object or json_schema'),
);

const Body = v.object(
  {
    model: modelFor('chat'),
    messages: messageList(Message),
    max_completion_tokens: v.nullish(integer(1)),
    max_tokens: v.nullish(integer(1)),
    ...nullableSampling,
    n,
    tools: v.nullish(toolList(Tool)),
    tool_choice: v.nullish(ToolChoice),
    parallel_tool_calls: v.nullish(v.boolean('must be true or false')),
    functions: v.nullish(Functions),
    function_call: v.nullish(FunctionChoice),
    response_format: v.nullish(ResponseFormat),
    ...forwardedByChat,
    ...unservedByChat,
    ...descriptions,
  },
  'must be a JSON object',
);
type Body = v.InferOutput<typeof Body>;
export type OpenAiMessage = Body['messages'][number];

/** Maximum log probabilities per request: about 30 MB of JSON in a function of 512 MB. */
const maxLogprobs = 200_000;

/**
 * Body of POST /openai/v1/chat/completions. Unknown fields are ignored and never forwarded. Null is equivalent to an
 * absent field.
 */
export const OpenAiChatRequest = v.pipe(
  Body,
  v.forward(v.check(respondsToEarlierCalls, 'must contain the tool call with the same id before each tool message'), [
    'messages',
  ]),
  v.forward(
    v.check(({ tools, functions }) => !tools?.length || !functions?.length, 'must not be sent together with functions'),
    ['tools'],
  ),
  v.forward(v.check(choosesOfferedTool, 'must name one of the tools'), ['tool_choice']),
  v.forward(v.check(choosesOfferedFunction, 'must name one of the functions'), ['function_call']),
  v.forward(
    v.check(({ logprobs, top_logprobs: top }) => !top || logprobs === true, 'requires logprobs to be true'),
    ['top_logprobs'],
  ),
  v.forward(
    v.check(
      hasRoomForLogprobs,
      `must be less: n × top_logprobs × max_tokens may be at most ${maxLogprobs}; top_logprobs counts as at least 1`,
    ),
    ['top_logprobs'],
  ),
);
export type OpenAiChatRequest = v.InferOutput<typeof OpenAiChatRequest>;

function hasRoomForLogprobs({ n, logprobs, top_logprobs: top, max_completion_tokens, max_tokens }: Body): boolean {
  const each = Math.max(1, top ?? 0) * (max_completion_tokens ?? max_tokens ?? limits.defaultChatTokens);
  return !logprobs || (n ?? 1) * each <= maxLogprobs;
}

function respondsToEarlierCalls({ messages }: Body): boolean {
  const callIds = new Set<string>();
  return messages.every((message) => {
    if (message.role === 'assistant') for (const { id } of message.tool_calls ?? []) callIds.add(id);
    return message.role !== 'tool' || callIds.has(message.tool_call_id);
  });
}

function choosesOfferedTool({ tools, tool_choice: choice }: Body): boolean {
  if (choice === 'required') return Boolean(tools?.length);
  if (typeof choice !== 'object' || choice === null) return true;
  const offered = new Set(tools?.map((tool) => tool.function.name));
  const chosen = choice.type === 'function' ? [choice] : choice.allowed_tools.tools;
  return chosen.every((tool) => offered.has(tool.function.name));
}

function choosesOfferedFunction({ functions, function_call: choice }: Body): boolean {
  if (typeof choice !== 'object' || choice === null) return true;
  return (functions ?? []).some((offered) => offered.name === choice.name);
}

const Called = v.object({ name: v.string(), arguments: v.string() });

/** A bare response of POST /openai/v1/chat/completions. */
export const OpenAiChatCompletion = v.object({
  id: v.string(),
  object: v.literal('chat.completion'),
  created: whole,
  model: v.string(),
  choices: v.array(
    v.object({
      index: whole,
      message: v.object({
        role: v.literal('assistant'),
        content: v.nullable(v.string()),
        refusal: v.nullable(v.string()),
        reasoning_content: v.exactOptional(v.string()),
        tool_calls: v.exactOptional(
          v.array(v.object({ id: v.string(), type: v.literal('function'), function: Called })),
        ),
        function_call: v.exactOptional(Called),
      }),
      logprobs: v.nullable(ChatLogprobs),
      finish_reason: v.picklist([...finishReasons, 'tool_calls']),
    }),
  ),
  usage: DetailedUsage,
});
export type OpenAiChatCompletion = v.InferOutput<typeof OpenAiChatCompletion>;

/** A bare response of POST /openai/v1/completions. */
export const OpenAiCompletion = v.object({
  ...Completion.entries,
  choices: v.array(v.object({ ...Completion.entries.choices.item.entries, logprobs: v.nullable(CompletionLogprobs) })),
  usage: DetailedUsage,
});
export type OpenAiCompletion = v.InferOutput<typeof OpenAiCompletion>;
