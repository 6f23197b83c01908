import * as v from 'valibot';
import { findModel } from '#contract/inference/models.ts';
import type { EmbeddingList, EmbeddingsRequest } from '#contract/inference/requests.ts';
import type { Tokenizer } from '../shared/ports.ts';
import { contextLengthExceeded, ServiceError } from '../shared/service-error.ts';
import { type Proof, TokenCount } from './order.ts';

export interface ModelEmbeddingsRequest {
  readonly input: readonly string[];
  readonly dimensions?: number;
}

const maxFloat32 = 3.4028234663852886e38;

export const Vector = v.custom<number[]>(
  (value) => Array.isArray(value) && value.every(isFloat32) && value.some(isNonZero),
  'must be finite numbers of 32 bits, not all of them 0',
);

/** A zero vector has no direction and cannot be compared. */
const isNonZero = (value: number): boolean => Math.fround(value) !== 0;

const isFloat32 = (value: unknown): boolean => typeof value === 'number' && Math.abs(value) <= maxFloat32;

export const ModelEmbeddings = v.object({
  data: v.array(v.object({ index: v.number(), embedding: Vector })),
  /** Treat an invalid count as missing. */
  usage: v.fallback(v.nullish(v.object({ prompt_tokens: v.number() })), null),
});
export type ModelEmbeddings = v.InferOutput<typeof ModelEmbeddings>;

export async function toModelEmbeddings(request: EmbeddingsRequest, tokenizer: Tokenizer, prove: Proof) {
  const input = typeof request.input === 'string' ? [request.input] : request.input;
  const counts = input.map((text) => new TokenCount([text], tokenizer));
  const window = findModel(request.model, 'embeddings')?.contextWindow ?? 0;
  let maxTokens = 0;
  for (const count of counts) {
    const tokens = await count.bound(window, window, prove);
    if (tokens > window) throw contextLengthExceeded(request.model, window, tokens, 0);
    maxTokens += tokens;
  }
  const { dimensions } = request;
  const body: ModelEmbeddingsRequest = { input, ...(typeof dimensions === 'number' && { dimensions }) };
  return { body, maxTokens, counts };
}

export function toEmbeddingList(reply: ModelEmbeddings, tokens: number, request: EmbeddingsRequest): EmbeddingList {
  const texts = typeof request.input === 'string' ? 1 : request.input.length;
  if (reply.data.length !== texts)
    throw new ServiceError('MODEL_ERROR', `The model returned ${reply.data.length} embeddings for ${texts} texts.`);
  const encode = request.encoding_format === 'base64' ? base64 : (vector: number[]) => vector;
  return {
    object: 'list',
    data: reply.data
      .toSorted((one, other) => one.index - other.index)
      .map(({ embedding }, index) => ({ object: 'embedding', index, embedding: encode(embedding) })),
    model: request.model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}

function base64(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4);
  return bytes.toString('base64');
}
