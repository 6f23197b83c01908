import { keyRoutes } from '#contract/routes/keys.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const listKeys: Operation<typeof keyRoutes.listKeys> = ({ keys }, { caller }) => keys().list(caller.accountId);

export const handler = endpoint(keyRoutes.listKeys, listKeys);
