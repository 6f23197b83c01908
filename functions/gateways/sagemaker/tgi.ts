import * as v from 'valibot';
import { ModelChatReply, type ModelChatRequest } from '#domain/inference/chat.ts';
import type { ModelCompletionReply, ModelCompletionRequest } from '#domain/inference/completion.ts';
import { ChatChunk, type ModelChunk } from '#domain/inference/model-stream.ts';
import { cleanText } from '#domain/shared/text.ts';
import { type Container, refuseOptions, type TextDialect } from './container.ts';
import { positiveTopP, vllmOptions } from './vllm.ts';

/** Some versions return the arguments of a call as an object, and a streamed call outside a list. */
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
 * Chats of TGI. Its `presence_penalty` is a repetition penalty minus 2, so that 0 would forbid repetition: it is
 * omitted, as is `top_k`, which only TGI's own format supports. Another `model` than its own would select an adapter.
 */
const tgiChat: TextDialect<ModelChatRequest, ModelChatReply> = {
  body({ messages, max_tokens, stop, seed, tools, tool_choice, response_format, ...rest }, { stream, servedName }) {
    refuseOptions(rest, vllmOptions);
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

/** Sends content or calls, because TGI drops the calls of a message with both. */
function callOrContent(message: Record<string, unknown>): Record<string, unknown> {
  const { content, ...called } = message;
  return message['tool_calls'] ? called : { ...called, content: content ?? '' };
}

const NamedChoice = v.object({ function: v.object({ name: v.string() }) });

/** All versions accept a chosen function as a bare name. */
function choiceOf(choice: unknown): unknown {
  return v.is(NamedChoice, choice) ? choice.function.name : (choice ?? undefined);
}

const SchemaFormat = v.object({ type: v.literal('json_schema'), json_schema: v.object({ schema: v.unknown() }) });

/** All versions support responses by JSON schema, but not arbitrary JSON. */
function grammarOf(format: unknown): unknown {
  return v.is(SchemaFormat, format) ? { type: 'json', value: format.json_schema.schema } : undefined;
}

/** Treats an invalid count as missing. */
const Count = v.fallback(v.nullish(v.number()), null);

const Generated = v.object({
  generated_text: v.pipe(v.string(), v.transform(cleanText)),
  details: v.nullish(
    v.object({
      finish_reason: v.string(),
      generated_tokens: Count,
      prefill: v.fallback(v.optional(v.array(v.unknown()), []), []),
    }),
  ),
});

/** A list in the OpenAI-compatible route, otherwise a bare object. */
const GeneratedReply = v.union([
  v.pipe(
    v.tuple([Generated]),
    v.transform(([only]) => only),
  ),
  Generated,
]);

const GeneratedToken = v.object({
  token: v.object({ text: v.string(), special: v.optional(v.boolean(), false) }),
  generated_text: v.nullish(v.string()),
  details: v.nullish(
    v.object({
      finish_reason: v.string(),
      generated_tokens: Count,
      input_length: Count,
    }),
  ),
});

/**
 * TGI's own generation format: `inputs` and `parameters`. A temperature of 0 disables sampling. The details of a whole
 * reply list the prompt's tokens, which TGI itself uses for the usage of its OpenAI routes.
 */
const tgiGenerate: TextDialect<ModelCompletionRequest, ModelCompletionReply> = {
  body({ prompt, max_tokens, stop, seed, ...rest }, { stream }) {
    refuseOptions(rest, vllmOptions);
    const { frequency_penalty, ...sampling } = tgiSampling(rest);
    const chosen = sampling.temperature === 0 ? { do_sample: false } : { do_sample: true, ...sampling };
    const parameters = { max_new_tokens: max_tokens, ...chosen, frequency_penalty, stop, seed };
    const options = { return_full_text: false, details: true, decoder_input_details: !stream };
    return { inputs: prompt, parameters: { ...parameters, ...options }, stream };
  },
  reply(value) {
    const { generated_text: text, details } = v.parse(GeneratedReply, value);
    const usage = usageOf(details?.prefill.length || undefined, details?.generated_tokens);
    return { choices: [{ text, finish_reason: details?.finish_reason }], usage };
  },
  /** Only the last token includes the whole text. */
  chunk(event): ModelChunk {
    const { token, generated_text, details } = v.parse(GeneratedToken, event);
    const reason = details?.finish_reason ?? (typeof generated_text === 'string' ? 'stop' : null);
    return {
      choices: [{ text: token.special ? '' : token.text, finish_reason: reason }],
      usage: usageOf(details?.input_length, details?.generated_tokens),
    };
  },
};

function usageOf(prompt_tokens: number | null | undefined, completion_tokens: number | null | undefined) {
  const isKnown = typeof prompt_tokens === 'number' && typeof completion_tokens === 'number';
  return isKnown ? { prompt_tokens, completion_tokens } : undefined;
}

/** TGI's sampling parameters: `top_p` must be below 1, and is omitted to disable it. A penalty of 0 is omitted too. */
function tgiSampling({ temperature, top_p, top_k, frequency_penalty }: Readonly<Record<string, unknown>>) {
  return {
    temperature,
    top_p: top_p === 1 ? undefined : positiveTopP(top_p),
    top_k,
    frequency_penalty: frequency_penalty === 0 ? undefined : frequency_penalty,
  };
}

/**
 * TGI: chats in OpenAI's format, completions in its own, because only that one supports `top_k` and reports the usage
 * of a stream (router/src/sagemaker.rs, lib.rs, validation.rs). TGI includes the stop sequence in the text and detects
 * it only at the end of a token, so the gateway cuts the text.
 */
export const tgi: Container = { chat: tgiChat, completion: tgiGenerate };
