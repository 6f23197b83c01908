import type { InferOutput } from 'valibot';
import type { KeyRecord as KeySchema } from '#contract/keys.ts';

/** A key as the list has it. */
export type KeyRecord = InferOutput<typeof KeySchema>;
