import * as v from 'valibot';
import type { Engine, EngineReply } from '../engine.ts';
import { overflowIn, refusalIn, vectorsIn } from './openai-reply.ts';

const Body = v.object({
  inputs: v.union([v.string(), v.array(v.string())]),
  truncate: v.optional(v.boolean(), false),
  normalize: v.optional(v.boolean(), true),
  dimensions: v.optional(v.number()),
});

const largestBatch = 32;

/** TEI with an embedding model: `inputs` to a bare array of vectors (router/src/http/server.rs, types.rs). */
export const asTei = (engine: Engine): Engine => ({
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
    return refusal ? inItsWords(refusal) : { kind: 'json', status: 200, body: vectorsIn(reply) };
  },
});

function inItsWords({ status, message }: { status: number; message: string }): EngineReply {
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
