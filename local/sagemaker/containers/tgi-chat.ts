import * as v from 'valibot';
import { type Engine, type EngineReply, eventData, failureIn } from '../engine.ts';
import { countTokens } from '../words.ts';

const number = v.optional(v.number());

/** A message has text or tool calls. Calls next to text are ignored (router/src/lib.rs, MessageBody). */
const Message = v.union([
  v.looseObject({ role: v.string(), content: v.union([v.string(), v.array(v.unknown())]) }),
  v.looseObject({ role: v.string(), tool_calls: v.array(v.unknown()) }),
]);

/** TGI's chat request (router/src/lib.rs, ChatRequest). Unknown fields such as `top_k` are ignored. */
export const TgiChatBody = v.object({
  messages: v.array(Message),
  max_tokens: v.optional(v.number(), 100),
  temperature: v.pipe(
    number,
    // Unlike TGI's own request format, chat accepts 0.
    v.transform((given) => (given === 0 ? undefined : given)),
  ),
  top_p: number,
  frequency_penalty: number,
  presence_penalty: number,
  stop: v.optional(v.array(v.string()), []),
  stream: v.optional(v.boolean(), false),
  stream_options: v.optional(v.object({ include_usage: v.boolean() }), { include_usage: false }),
  tools: v.optional(v.array(v.unknown())),
  tool_choice: v.optional(v.string()),
});
type TgiChatBody = v.InferOutput<typeof TgiChatBody>;

export async function invokeChat(engine: Engine, body: TgiChatBody, signal: AbortSignal): Promise<EngineReply> {
  const { messages, max_tokens, temperature, top_p, frequency_penalty, tools, tool_choice } = body;
  const request = {
    messages,
    max_tokens,
    temperature,
    top_p,
    frequency_penalty,
    tools,
    tool_choice: choiceOf(tool_choice),
  };
  const reply = await engine.invoke(JSON.parse(JSON.stringify({ ...request, stream: true })), signal);
  if (reply.kind === 'json') return reply;
  const tokens = tgiTokens(reply.chunks, body.stop);
  if (!body.stream) return { kind: 'json', ...(await whole(tokens, body)) };
  return { kind: 'stream', contentType: 'text/event-stream', chunks: events(tokens, body) };
}

function choiceOf(choice: string | undefined): unknown {
  const isWord = choice === undefined || ['auto', 'none', 'required'].includes(choice);
  return isWord ? choice : { type: 'function', function: { name: choice } };
}

const about = { id: '', created: 1_780_000_000, model: 'served', system_fingerprint: '3.3.4-sha-d1f7b5e' };

/** TGI reports an end of sequence as `stop` and keeps other reasons. */
const reasonOf = (finish: string): string => (finish === 'eos_token' ? 'stop' : finish);

async function* events(tokens: AsyncIterable<TgiToken>, body: TgiChatBody): AsyncGenerator<Uint8Array> {
  const chunk = (choices: unknown[], usage: unknown = null) => ({
    object: 'chat.completion.chunk',
    ...about,
    choices,
    usage,
  });
  let generated = 0;
  let hasEnded = false;
  for await (const token of tokens) {
    if ('failed' in token) {
      yield event({ error: `Request failed during generation: ${token.failed}`, error_type: 'generation' });
      return;
    }
    generated += tokensIn(token);
    hasEnded ||= token.finish !== undefined;
    const delta = token.call
      ? { role: 'assistant', tool_calls: [token.call] }
      : { role: 'assistant', content: token.text };
    yield event(
      chunk([{ index: 0, delta, logprobs: null, finish_reason: token.finish ? reasonOf(token.finish) : null }]),
    );
  }
  if (!hasEnded) return;
  if (body.stream_options.include_usage) yield event(chunk([], usageOf(body, generated)));
  yield Buffer.from('data:[DONE]\n\n');
}

/** An end of sequence counts as a token; reaching the limit does not. */
const tokensIn = ({ text, call, finish }: Exclude<TgiToken, { failed: string }>): number =>
  text || call || finish === 'eos_token' ? 1 : 0;

const event = (value: unknown): Uint8Array => Buffer.from(`data:${JSON.stringify(value)}\n\n`);

const CallPiece = v.object({
  function: v.object({ name: v.nullish(v.string(), ''), arguments: v.nullish(v.string(), '') }),
});

async function whole(tokens: AsyncIterable<TgiToken>, body: TgiChatBody) {
  let content = '';
  let generated = 0;
  let finish_reason = '';
  const call = { name: '', arguments: '' };
  for await (const token of tokens) {
    if ('failed' in token) {
      return {
        status: 424,
        body: { error: `Request failed during generation: ${token.failed}`, error_type: 'generation' },
      };
    }
    generated += tokensIn(token);
    content += token.text;
    if (token.call) {
      const piece = v.parse(CallPiece, token.call).function;
      call.name += piece.name;
      call.arguments += piece.arguments;
    }
    if (token.finish) finish_reason = reasonOf(token.finish);
  }
  // TGI returns arguments as an object, unlike OpenAI.
  const called = call.name && [
    {
      id: '0',
      type: 'function',
      function: { name: call.name, description: null, arguments: JSON.parse(call.arguments) },
    },
  ];
  const message = called ? { role: 'assistant', tool_calls: called } : { role: 'assistant', content };
  const choices = [{ index: 0, message, logprobs: null, finish_reason }];
  return { status: 200, body: { object: 'chat.completion', ...about, choices, usage: usageOf(body, generated) } };
}

function usageOf({ messages }: TgiChatBody, completion_tokens: number) {
  const prompt_tokens = countTokens(JSON.stringify(messages));
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}

const Chunk = v.object({
  choices: v.array(
    v.looseObject({
      text: v.nullish(v.string()),
      delta: v.nullish(v.looseObject({ content: v.nullish(v.string()), tool_calls: v.optional(v.array(v.unknown())) })),
      finish_reason: v.nullish(v.string()),
    }),
  ),
  usage: v.nullish(v.object({ prompt_tokens: v.number(), completion_tokens: v.number() })),
});

/** A text token or a piece of a call, with the finish reason if it is the last one. `failed`: the generation failed. */
export type TgiToken =
  | { readonly text: string; readonly call?: unknown; readonly finish?: 'stop_sequence' | 'length' | 'eos_token' }
  | { readonly failed: string };

/**
 * Converts the engine's output to TGI's tokens. Generation continues until the text ends with a stop sequence (which is
 * included), reaches the token limit, or the model finishes.
 */
export async function* tgiTokens(
  chunks: AsyncIterable<Uint8Array>,
  stops: readonly string[],
): AsyncGenerator<TgiToken> {
  let text = '';
  for await (const data of eventData(chunks)) {
    if (data === '[DONE]') return;
    const event: unknown = JSON.parse(data);
    const failed = failureIn(event);
    if (failed !== undefined) {
      yield { failed };
      return;
    }
    const [choice] = v.parse(Chunk, event).choices;
    const piece = choice?.text ?? choice?.delta?.content ?? '';
    const [call] = choice?.delta?.tool_calls ?? [];
    text += piece;
    if (stops.some((stop) => text.endsWith(stop))) {
      yield { text: piece, finish: 'stop_sequence' };
      return;
    }
    if (call !== undefined) yield { text: '', call };
    else if (piece) yield { text: piece };
    if (choice?.finish_reason) yield { text: '', finish: choice.finish_reason === 'length' ? 'length' : 'eos_token' };
  }
}
