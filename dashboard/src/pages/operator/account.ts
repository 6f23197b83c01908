import type { InferOutput } from 'valibot';
import type { AccountDetails } from '#contract/operators/accounts.ts';
import { operatorRoutes } from '#contract/routes/operators.ts';
import { KeyRecords } from '../../api/keys/key-list.ts';

export type Account = InferOutput<typeof AccountDetails>;

/** Where an account's page is. */
export const accountPath = (id: number | string): string => `/operator?account=${id}`;

/** The contract's route, read with more patience. */
export const listAccountKeys = { ...operatorRoutes.listAccountKeys, output: KeyRecords };
