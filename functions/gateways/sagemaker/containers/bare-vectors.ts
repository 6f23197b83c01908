import * as v from 'valibot';
import { Vector } from '#domain/inference/embeddings.ts';
import type { Vectors } from './container.ts';

const BareVectors = v.array(Vector);

/** An array of vectors and nothing else, in the order of the texts; how many tokens they had is for us to count. */
export const bareVectors = (value: unknown): Vectors => ({ vectors: v.parse(BareVectors, value) });
