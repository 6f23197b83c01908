import * as v from 'valibot';
import { whole } from '../shared/fields.ts';
import { DetailedUsage, TokenUsage } from './inference-fields.ts';
import { ChatLogprobs, CompletionLogprobs } from './openai-fields.ts';
import { finishReasons } from './requests.ts';
import { OutputItem, OutputTextPart, ResponseObject, SummaryPart } from './response-items.ts';

/**
 * Data of the events of a stream (docs/specification.md#events, docs/inference.md#responses). In the enveloped format
 * this is the envelope's `data`.
 */

const about = { id: v.string(), created: whole, model: v.string() };
const called = { name: v.exactOptional(v.string()), arguments: v.exactOptional(v.string()) };
const delta = { role: v.exactOptional(v.literal('assistant')), function_call: v.exactOptional(v.object(called)) };

/** The first chunk contains the role; the last one contains the finish reason and the usage. */
export const ChatCompletionChunk = v.object({
  ...about,
  object: v.literal('chat.completion.chunk'),
  choices: v.array(
    v.object({
      index: whole,
      delta: v.object({ ...delta, content: v.exactOptional(v.string()) }),
      finish_reason: v.nullable(v.picklist(finishReasons)),
    }),
  ),
  usage: v.exactOptional(TokenUsage),
});

/** The last chunk contains an empty text and the usage. */
export const CompletionChunk = v.object({
  id: v.string(),
  choices: v.array(v.object({ text: v.string(), index: whole })),
  usage: v.exactOptional(TokenUsage),
});

const usageIfRequested = v.exactOptional(v.nullable(DetailedUsage));

const ToolCallPiece = v.object({
  index: whole,
  id: v.exactOptional(v.string()),
  type: v.exactOptional(v.literal('function')),
  function: v.object(called),
});

/** OpenAI's format. With `stream_options.include_usage`, a final chunk without choices contains the usage. */
export const OpenAiChatCompletionChunk = v.object({
  ...about,
  object: v.literal('chat.completion.chunk'),
  choices: v.array(
    v.object({
      index: whole,
      delta: v.object({
        ...delta,
        content: v.exactOptional(v.nullable(v.string())),
        refusal: v.exactOptional(v.nullable(v.string())),
        reasoning_content: v.exactOptional(v.string()),
        tool_calls: v.exactOptional(v.array(ToolCallPiece)),
      }),
      logprobs: v.nullable(ChatLogprobs),
      finish_reason: v.nullable(v.picklist([...finishReasons, 'tool_calls'])),
    }),
  ),
  usage: usageIfRequested,
});

/** OpenAI's format. Usage is reported as in a chat stream. */
export const OpenAiCompletionChunk = v.object({
  ...about,
  object: v.literal('text_completion'),
  choices: v.array(
    v.object({
      text: v.string(),
      index: whole,
      logprobs: v.nullable(CompletionLogprobs),
      finish_reason: v.nullable(v.picklist(finishReasons)),
    }),
  ),
  usage: usageIfRequested,
});

const numbered = { sequence_number: whole };
const ofItem = { ...numbered, output_index: whole };
const within = { ...ofItem, item_id: v.string() };
const content = { ...within, content_index: whole };
const summary = { ...within, summary_index: whole };
const logprobs = v.array(v.never());

const lifecycle = v.object({
  type: v.picklist([
    'response.created',
    'response.in_progress',
    'response.completed',
    'response.incomplete',
    'response.failed',
  ]),
  ...numbered,
  response: ResponseObject,
});

const failure = {
  message: v.string(),
  param: v.nullable(v.string()),
  code: v.nullable(v.string()),
};

/** Events of a response's stream, in the order of `sequence_number`. */
export const ResponseEvent = v.variant('type', [
  lifecycle,
  v.object({
    type: v.picklist(['response.output_item.added', 'response.output_item.done']),
    ...ofItem,
    item: OutputItem,
  }),
  v.object({
    type: v.picklist(['response.content_part.added', 'response.content_part.done']),
    ...content,
    part: OutputTextPart,
  }),
  v.object({ type: v.literal('response.output_text.delta'), ...content, delta: v.string(), logprobs }),
  v.object({ type: v.literal('response.output_text.done'), ...content, text: v.string(), logprobs }),
  v.object({
    type: v.picklist(['response.reasoning_summary_part.added', 'response.reasoning_summary_part.done']),
    ...summary,
    part: SummaryPart,
  }),
  v.object({ type: v.literal('response.reasoning_summary_text.delta'), ...summary, delta: v.string() }),
  v.object({ type: v.literal('response.reasoning_summary_text.done'), ...summary, text: v.string() }),
  v.object({ type: v.literal('response.function_call_arguments.delta'), ...within, delta: v.string() }),
  v.object({
    type: v.literal('response.function_call_arguments.done'),
    ...within,
    name: v.string(),
    arguments: v.string(),
  }),
  v.object({
    type: v.literal('error'),
    ...numbered,
    ...failure,
    error: v.object({ type: v.string(), ...failure }),
  }),
]);
