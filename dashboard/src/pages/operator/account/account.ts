import type { InferOutput } from 'valibot';
import type { AccountDetails } from '#contract/operators/accounts.ts';

export type Account = InferOutput<typeof AccountDetails>;
