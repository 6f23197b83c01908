import { routes } from '#contract/routes.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const getUsage: Operation<typeof routes.getUsage> = ({ statements }, { input, caller }) =>
  statements().usage(caller.accountId, input.query);

export const handler = endpoint(routes.getUsage, getUsage);
