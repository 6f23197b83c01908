import { operatorRoutes } from '#contract/routes/operators.ts';
import { KeyRecords } from '../../../api/keys/key-list.ts';

/** The contract's route, read with more patience. */
export const listAccountKeys = { ...operatorRoutes.listAccountKeys, output: KeyRecords };
