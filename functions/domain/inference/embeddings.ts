import * as v from 'valibot';
import { findModel } from '#contract/inference/models.ts';
import type { OpenAiEmbeddingsRequest } from '#contract/inference/openai.ts';
import type { EmbeddingList, EmbeddingsRequest } from '#contract/inference/requests.ts';
import { limits } from '#contract/shared/limits.ts';
import type { TokenEncoding } from '../shared/ports.ts';
import { contextLengthExceeded, ServiceError } from '../shared/service-error.ts';
import { type Proof, TokenCount, type Decoding, decodedTexts } from './order.ts';

/** Texts, or their token ids. */
export type EmbeddingsInput = EmbeddingsRequest | OpenAiEmbeddingsRequest;

export interface ModelEmbeddingsRequest {
  readonly input: readonly string[];
  readonly dimensions?: number;
}

const maxFloat32 = 3.4028234663852886e38;

export const Vector = v.custom<number[]>(
  (value) => Array.isArray(value) && value.every(isFloat32) && value.some(isNonZero),
  'must be finite 32-bit numbers, not all 0',
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

export async function toModelEmbeddings(request: EmbeddingsInput, tokenizer: TokenEncoding, prove: Proof) {
  const { model } = request;
  const window = findModel(model, 'embeddings')?.contextWindow ?? 0;
  const maxBytes = limits.embeddingsBodyBytes;
  const input = await textsOf(request.input, { model, window, maxBytes, path: 'input', tokenizer, prove });
  const counts = input.map((text) => new TokenCount([text], tokenizer));
  let maxTokens = 0;
  for (const count of counts) {
    const tokens = await count.bound(window, window, prove);
    if (tokens > window) throw contextLengthExceeded(model, window, tokens, 0);
    maxTokens += tokens;
  }
  const { dimensions } = request;
  const body: ModelEmbeddingsRequest = { input, ...(typeof dimensions === 'number' && { dimensions }) };
  return { body, maxTokens, counts };
}

async function textsOf(input: EmbeddingsInput['input'], decoding: Decoding): Promise<readonly string[]> {
  if (typeof input === 'string') return [input];
  if (isTexts(input)) return input;
  return decodedTexts(isIds(input) ? [input] : input, decoding);
}

const isTexts = (list: readonly unknown[]): list is readonly string[] => typeof list[0] === 'string';
const isIds = (list: readonly unknown[]): list is readonly number[] => typeof list[0] === 'number';

export interface Embedded {
  readonly texts: number;
  readonly tokens: number;
}

export function toEmbeddingList(
  reply: ModelEmbeddings,
  { texts, tokens }: Embedded,
  request: Pick<EmbeddingsInput, 'model' | 'encoding_format'>,
): EmbeddingList {
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
