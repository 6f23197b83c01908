import { routes } from '#contract/routes.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const listKeys: Operation<typeof routes.listKeys> = ({ keys }, { caller }) => keys().list(caller.accountId);

export const handler = endpoint(routes.listKeys, listKeys);
