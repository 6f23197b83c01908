import * as v from 'valibot';
import { maxTeiTexts } from '#contract/platform/model-endpoints.ts';
import { Vector } from '#domain/inference/embeddings.ts';
import { type Container, textBatches, type Vectors } from './container.ts';

const BareVectors = v.array(Vector);

/** An array of vectors in the order of the texts. The token count is ours. */
export const bareVectors = (value: unknown): Vectors => ({ vectors: v.parse(BareVectors, value) });

/**
 * TEI: `inputs` in batches, bare vectors in reply (router/src/http/server.rs). An overlong text is an error unless
 * truncation is enabled. Versions without `dimensions` ignore the field.
 */
export const tei: Container = {
  embeddings: {
    batches: (request) =>
      textBatches(request, maxTeiTexts, (inputs) => ({ inputs, truncate: false, dimensions: request.dimensions })),
    reply: bareVectors,
  },
};
