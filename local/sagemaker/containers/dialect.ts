import * as v from 'valibot';
import type { ContainerFamily } from '#contract/offer/offer.ts';
import {
  containerError,
  type Engine,
  type EngineReply,
  eventData,
  failureIn,
  overflowIn,
  refusalIn,
  vectorsIn,
} from '../engine.ts';
import { asTgi } from './tgi.ts';

/** Speech synthesis like vLLM-Omni on /invocations. */
const asOmni = (engine: Engine): Engine => ({
  invoke: async (body, signal) =>
    engine.speak?.(body, signal) ?? containerError(501, 'This engine does not support speech.'),
});

/** Selects the API of a container with several (`CustomAttributes`). */
export const speechRoute = 'route=/v1/audio/speech';

/** Transcription like WhisperX on /invocations: a form in, JSON out. */
const asWhisperx = (engine: Engine): Engine => ({
  async invoke(form, signal) {
    if (!(form instanceof FormData)) return containerError(400, 'The body must be a form with a part named file.');
    if (!(form.get('file') instanceof File)) return containerError(422, 'The form must have a part named file.');
    return engine.transcribe?.(form, signal) ?? containerError(501, 'This engine does not support transcription.');
  },
});

const Body = v.object({
  inputs: v.union([v.string(), v.array(v.string())]),
  truncate: v.optional(v.boolean(), false),
  normalize: v.optional(v.boolean(), true),
  dimensions: v.optional(v.number()),
});

const largestBatch = 32;

/** TEI with an embedding model: `inputs` in, an array of vectors out (router/src/http/server.rs, types.rs). */
const asTei = (engine: Engine): Engine => ({
  async invoke(body, signal) {
    const parsed = v.safeParse(Body, body);
    if (!parsed.success) {
      const text = 'Failed to deserialize the JSON body into the target type: missing field `inputs` at line 1';
      return { kind: 'json', status: 422, body: text };
    }
    const { inputs, dimensions } = parsed.output;
    const input = [inputs].flat();
    if (input.length === 0 || input.includes('')) return refuse(400, '`inputs` cannot be empty', 'Empty');
    if (input.length > largestBatch) {
      const text = `batch size ${input.length} > maximum allowed batch size ${largestBatch}`;
      return refuse(413, text, 'Validation');
    }
    const reply = await engine.invoke({ input, ...(dimensions !== undefined && { dimensions }) }, signal);
    const refusal = refusalIn(reply);
    return refusal ? toTeiError(refusal) : { kind: 'json', status: 200, body: vectorsIn(reply) };
  },
});

function toTeiError({ status, message }: { status: number; message: string }): EngineReply {
  const overflow = overflowIn(message);
  if (overflow) {
    const text = `Input validation error: \`inputs\` must have less than ${overflow.takes} tokens. Given: ${overflow.prompt}`;
    return refuse(413, text, 'Validation');
  }
  if (status === 429 || status === 503) return refuse(429, 'Model is overloaded', 'Overloaded');
  if (status < 500) return refuse(413, `Input validation error: ${message}`, 'Validation');
  return refuse(424, `Backend error: ${message}`, 'Backend');
}

const refuse = (status: number, error: string, error_type: string): EngineReply => ({
  kind: 'json',
  status,
  body: { error, error_type },
});

/**
 * LMI uses OpenAI's bodies, with three differences: errors are `error` and `code`, streams are JSON lines that end with
 * an empty line instead of `[DONE]`, and `inputs` are embedded (djl_python/lmi_vllm/vllm_async_service.py,
 * async_utils.py).
 */
const asLmi = (engine: Engine): Engine => ({
  async invoke(body, signal) {
    const inputs = typeof body === 'object' && body !== null && 'inputs' in body ? body.inputs : undefined;
    const reply = await engine.invoke(inputs === undefined ? body : { input: [inputs].flat() }, signal);
    const refusal = refusalIn(reply);
    if (refusal) return json(refusal.status, { error: refusal.message, code: refusal.status });
    if (reply.kind === 'stream')
      return { kind: 'stream', contentType: 'application/jsonlines', chunks: lines(reply.chunks) };
    return inputs === undefined ? reply : json(200, vectorsIn(reply));
  },
});

const json = (status: number, body: unknown): EngineReply => ({ kind: 'json', status, body });

async function* lines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const data of eventData(chunks)) {
    const failure = data === '[DONE]' ? undefined : failureIn(JSON.parse(data));
    const line = failure === undefined ? data.replace('[DONE]', '') : JSON.stringify({ error: failure, code: 424 });
    yield Buffer.from(`${line}\n`);
  }
}

const dialects: Readonly<Record<ContainerFamily, (engine: Engine) => Engine>> = {
  vllm: (engine) => engine,
  lmi: asLmi,
  tgi: asTgi,
  tei: asTei,
  omni: asOmni,
  whisperx: asWhisperx,
};

/** Wraps the engine in the API of a container family on /invocations: its bodies, replies, streams and errors. */
export const asContainer = (family: ContainerFamily, engine: Engine): Engine => dialects[family](engine);
