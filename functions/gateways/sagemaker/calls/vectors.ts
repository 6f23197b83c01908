import type { ModelEmbeddingsRequest } from '#domain/inference/embeddings.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import type { Vectors } from '../containers/container.ts';

/** One for each text. */
export function vectorsFor(texts: number, reply: Vectors): Vectors {
  if (reply.vectors.length !== texts) throw invalid();
  return reply;
}

/** The vectors of all batches are compared with each other, so they must have one length. */
export function refuseDifferentLengths([first, ...others]: readonly number[][]): void {
  if (others.some(({ length }) => length !== first?.length)) throw invalid();
}

const invalid = () => new ServiceError('MODEL_ERROR', 'The model returned an invalid response.');

/** Not every container can, and those that cannot do not report it. */
export function refuseOtherDimensions(
  vectors: readonly number[][],
  { dimensions }: ModelEmbeddingsRequest,
  model: string,
): void {
  if (dimensions === undefined || vectors.every(({ length }) => length === dimensions)) return;
  throw new ServiceError(
    'INVALID_FORMAT',
    `dimensions must be a size that ${model} supports; it does not support ${dimensions}.`,
  );
}
