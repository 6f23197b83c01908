import * as v from 'valibot';
import type { Vectors } from './container.ts';

const BareVectors = v.array(v.array(v.pipe(v.number(), v.finite())));

/** An array of vectors and nothing else, in the order of the texts; how many tokens they had is for us to count. */
export const bareVectors = (value: unknown): Vectors => ({ vectors: v.parse(BareVectors, value) });
