import * as v from 'valibot';
import { type Engine, type EngineReply, overflowIn, type Refusal, refusalIn } from '../engine.ts';
import { countTokens } from '../words.ts';
import { invokeChat, TgiChatBody, tgiTokens } from './tgi-chat.ts';

const invalidBodyMessage =
  'Failed to deserialize the JSON body into the target type: data did not match any variant of untagged enum SagemakerRequest';

/**
 * TGI accepts its own requests (`inputs`) and chats (`messages`), limits the sampling parameters, and checks stop
 * sequences, which are part of the text, only at the end of a token (router/src/sagemaker.rs, validation.rs,
 * server/text_generation_server/utils/tokens.py). Errors of a stream are sent in the stream with status 200.
 */
export const asTgi = (engine: Engine): Engine => ({
  async invoke(body, signal) {
    const parsed = v.safeParse(Request, body);
    if (!parsed.success) return { kind: 'json', status: 422, body: invalidBodyMessage };
    const request = parsed.output;
    const problem = invalid('inputs' in request ? request.parameters : request);
    if (problem) return streamedIf(request.stream, tgiError(422, `Input validation error: ${problem}`, 'validation'));
    const reply =
      'inputs' in request ? await invokeGenerate(engine, request, signal) : await invokeChat(engine, request, signal);
    const refusal = refusalIn(reply);
    return refusal ? streamedIf(request.stream, toTgiError(refusal)) : reply;
  },
});

function streamedIf(streams: boolean, error: EngineReply & { kind: 'json' }): EngineReply {
  if (!streams) return error;
  return { kind: 'stream', contentType: 'text/event-stream', chunks: only(`data:${JSON.stringify(error.body)}\n\n`) };
}

async function* only(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

const nullish = <S extends v.GenericSchema>(schema: S) => v.optional(v.nullable(schema));
const number = v.pipe(
  nullish(v.number()),
  v.transform((given) => given ?? undefined),
);

/** TGI's own request format (router/src/lib.rs, CompatGenerateRequest). */
const TgiGenerateBody = v.object({
  inputs: v.string(),
  parameters: v.object({
    temperature: number,
    top_p: number,
    top_k: number,
    frequency_penalty: number,
    do_sample: v.optional(v.boolean(), false),
    max_new_tokens: v.optional(v.number(), 100),
    return_full_text: v.optional(v.boolean(), true),
    details: v.optional(v.boolean(), false),
    decoder_input_details: v.optional(v.boolean(), false),
    stop: v.optional(v.array(v.string()), []),
  }),
  stream: v.optional(v.boolean(), false),
});
type TgiGenerateBody = v.InferOutput<typeof TgiGenerateBody>;

const Request = v.union([TgiGenerateBody, TgiChatBody]);

/** Always requests a stream, because TGI generates token by token. */
async function invokeGenerate(engine: Engine, body: TgiGenerateBody, signal: AbortSignal): Promise<EngineReply> {
  const { inputs, parameters, stream } = body;
  const { max_new_tokens: max_tokens, temperature, top_p, top_k, frequency_penalty } = parameters;
  const request = { prompt: inputs, max_tokens, temperature, top_p, top_k, frequency_penalty, stream: true };
  const reply = await engine.invoke(JSON.parse(JSON.stringify(request)), signal);
  if (reply.kind === 'json') return reply;
  const events = tokenEvents(reply.chunks, body);
  if (!stream) return { kind: 'json', ...(await whole(events, body)) };
  return { kind: 'stream', contentType: 'text/event-stream', chunks: sent(events) };
}

interface TokenEvent {
  readonly token: { readonly id: number; readonly text: string; readonly special: boolean };
  readonly generated_text: string | null;
  readonly details: { finish_reason: string; generated_tokens: number; input_length: number; seed: null } | null;
}

type Event = TokenEvent | { readonly error: string; readonly error_type: string };

async function* tokenEvents(
  chunks: AsyncIterable<Uint8Array>,
  { inputs, parameters }: TgiGenerateBody,
): AsyncGenerator<Event> {
  let text = '';
  let id = 0;
  for await (const token of tgiTokens(chunks, parameters.stop)) {
    if ('failed' in token) {
      yield { error: `Request failed during generation: ${token.failed}`, error_type: 'generation' };
      return;
    }
    text += token.text;
    id += 1;
    const isEnd = token.finish === 'eos_token';
    yield {
      token: { id, text: isEnd ? '</s>' : token.text, special: isEnd },
      generated_text: token.finish ? (parameters.return_full_text ? inputs : '') + text : null,
      details: token.finish
        ? {
            finish_reason: token.finish,
            generated_tokens: isEnd || token.text ? id : id - 1,
            input_length: countTokens(inputs),
            seed: null,
          }
        : null,
    };
  }
}

async function* sent(events: AsyncIterable<Event>): AsyncGenerator<Uint8Array> {
  for await (const event of events) yield Buffer.from(`data:${JSON.stringify(event)}\n\n`);
}

async function whole(events: AsyncIterable<Event>, { parameters }: TgiGenerateBody) {
  let last: Event | undefined;
  for await (const event of events) last = event;
  if (!last || 'error' in last)
    return { status: 424, body: last ?? { error: 'Incomplete generation', error_type: 'incomplete_generation' } };
  const { input_length, ...details } = last.details ?? { input_length: 0 };
  const prefill = parameters.decoder_input_details
    ? Array.from({ length: input_length }, (_, id) => ({ id, text: '', logprob: null }))
    : [];
  const shown = parameters.details && { details: { ...details, prefill, tokens: [] } };
  return { status: 200, body: [{ generated_text: last.generated_text, ...shown }] };
}

export interface TgiSampling {
  readonly temperature?: number | undefined;
  readonly top_p?: number | undefined;
  readonly top_k?: number | undefined;
  readonly frequency_penalty?: number | undefined;
  readonly presence_penalty?: number | undefined;
  readonly stop?: readonly string[] | undefined;
}

const maxStops = 4;

/** Returns the violated rule (router/src/validation.rs). */
function invalid(sampling: TgiSampling): string | undefined {
  const { temperature = 1, top_p: topP, top_k: topK, frequency_penalty: penalty = 0, stop = [] } = sampling;
  if (temperature <= 0) return '`temperature` must be strictly positive';
  if ((sampling.presence_penalty ?? 0) + 2 <= 0) return '`repetition_penalty` must be strictly positive';
  if (Math.abs(penalty) > 2) return '`frequency_penalty` must be >= -2.0 and <= 2.0';
  if (topP !== undefined && (topP <= 0 || topP >= 1)) return '`top_p` must be > 0.0 and < 1.0';
  if (topK !== undefined && topK <= 0) return '`top_k` must be strictly positive';
  if (stop.length > maxStops) return `\`stop\` supports up to ${maxStops} stop sequences. Given: ${stop.length}`;
  return undefined;
}

const tgiError = (status: number, error: string, error_type: string): EngineReply & { kind: 'json' } => ({
  kind: 'json',
  status,
  body: { error, error_type },
});

function toTgiError({ status, message }: Refusal): EngineReply & { kind: 'json' } {
  const overflow = overflowIn(message);
  if (overflow) {
    const { takes, prompt, output } = overflow;
    const rule = `\`inputs\` tokens + \`max_new_tokens\` must be <= ${takes}. Given: ${prompt} \`inputs\` tokens and ${output} \`max_new_tokens\``;
    return tgiError(422, `Input validation error: ${rule}`, 'validation');
  }
  if (status === 429 || status === 503) return tgiError(429, 'Model is overloaded', 'overloaded');
  if (status < 500) return tgiError(422, `Input validation error: ${message}`, 'validation');
  return tgiError(424, `Request failed during generation: ${message}`, 'generation');
}
