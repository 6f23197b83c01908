import * as v from 'valibot';
import type { Engine, EngineReply } from '../engine.ts';
import { countTokens } from '../words.ts';
import { tgiTokens } from './tgi-tokens.ts';

const maybe = <S extends v.GenericSchema>(schema: S) => v.optional(v.nullable(schema));
const number = v.pipe(
  maybe(v.number()),
  v.transform((given) => given ?? undefined),
);

/** TGI's own form (router/src/lib.rs, CompatGenerateRequest). */
export const TgiGenerateBody = v.object({
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

/** Always requests a stream of the engine, as TGI generates token by token whatever the form of the reply. */
export async function askGenerate(engine: Engine, body: TgiGenerateBody, signal: AbortSignal): Promise<EngineReply> {
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
