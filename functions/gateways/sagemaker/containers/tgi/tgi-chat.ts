import * as v from 'valibot';
import { ModelChatReply, type ModelChatRequest } from '#domain/inference/chat/chat.ts';
import { ChatChunk } from '#domain/inference/streams/model-stream.ts';
import type { TextDialect } from '../container.ts';
import { tgiSampling } from './tgi-sampling.ts';

/** Some versions give the arguments of a call as an object, and a streamed call outside of a list. */
const ArgumentsText = v.pipe(
  v.unknown(),
  v.transform((given) => (typeof given === 'object' && given !== null ? JSON.stringify(given) : given)),
);
const Call = v.looseObject({ function: v.looseObject({ arguments: ArgumentsText }) });
const Calls = v.nullish(
  v.union([
    v.array(Call),
    v.pipe(
      Call,
      v.transform((call) => [call]),
    ),
  ]),
);
const Message = v.nullish(
  v.pipe(
    v.unknown(),
    v.check((value) => !Array.isArray(value), 'must be an object'),
    v.looseObject({ tool_calls: v.optional(Calls) }),
  ),
);
const Events = v.looseObject({
  choices: v.optional(v.array(v.looseObject({ message: v.optional(Message), delta: v.optional(Message) }))),
});

/**
 * Chats of TGI. Its `presence_penalty` is a repetition penalty less 2, so 0 would forbid repetition: it is left out, and so
 * is `top_k`, which only its own form takes. Any `model` but its own would be an adapter.
 */
export const tgiChat: TextDialect<ModelChatRequest, ModelChatReply> = {
  body({ messages, max_tokens, stop, seed, tools, tool_choice, response_format, ...rest }, { stream, servedName }) {
    const { temperature, top_p, frequency_penalty } = tgiSampling(rest);
    return {
      model: servedName,
      messages: messages.map(callOrContent),
      max_tokens,
      temperature,
      top_p,
      frequency_penalty,
      stop,
      seed,
      ...(tools ? { tools, tool_choice: choiceOf(tool_choice) } : { response_format: grammarOf(response_format) }),
      ...(stream && { stream, stream_options: { include_usage: true } }),
    };
  },
  reply: (value) => v.parse(ModelChatReply, v.parse(Events, value)),
  chunk: (event) => v.parse(ChatChunk, v.parse(Events, event)),
};

/** A message has content or calls; with both, the calls would be lost. */
function callOrContent(message: Record<string, unknown>): Record<string, unknown> {
  const { content, ...called } = message;
  return message['tool_calls'] ? called : { ...called, content: content ?? '' };
}

const NamedChoice = v.object({ function: v.object({ name: v.string() }) });

/** A bare name is the one form of a chosen function that all versions take. */
function choiceOf(choice: unknown): unknown {
  return v.is(NamedChoice, choice) ? choice.function.name : (choice ?? undefined);
}

const SchemaFormat = v.object({ type: v.literal('json_schema'), json_schema: v.object({ schema: v.unknown() }) });

/** Responses by a JSON schema are what all versions can do; JSON of any kind they cannot. */
function grammarOf(format: unknown): unknown {
  return v.is(SchemaFormat, format) ? { type: 'json', value: format.json_schema.schema } : undefined;
}
