import * as v from 'valibot';
import { whole } from '../shared/fields.ts';
import { DetailedUsage, TokenUsage } from './inference-fields.ts';
import { ChatLogprobs, CompletionLogprobs } from './openai-fields.ts';
import { finishReasons } from './requests.ts';

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
