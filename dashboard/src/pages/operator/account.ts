import type { InferOutput } from 'valibot';
import type { AccountDetails } from '#contract/operators/operators.ts';
import { operatorRoutes } from '#contract/routes/operators.ts';
import { KeyRecords } from '../../api/keys.ts';

export type Account = InferOutput<typeof AccountDetails>;

export const accountPath = (id: number | string): string => `/operator?account=${id}`;

/** Like the contract's route, but one unreadable key does not fail the list. */
export const listAccountKeys = { ...operatorRoutes.listAccountKeys, output: KeyRecords };
