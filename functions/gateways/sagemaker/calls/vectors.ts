import type { ModelEmbeddingsRequest } from '#domain/inference/embeddings.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import type { Vectors } from '../containers/container.ts';

/** One for each text, all of one length. */
export function vectorsFor(texts: number, reply: Vectors): Vectors {
  const [first, ...others] = reply.vectors;
  const isWhole = reply.vectors.length === texts && others.every(({ length }) => length === first?.length);
  if (!isWhole) throw new ServiceError('MODEL_ERROR', 'The model returned an invalid response.');
  return reply;
}

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
