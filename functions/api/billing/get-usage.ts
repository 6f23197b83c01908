import { creditRoutes } from '#contract/routes/credits.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const getUsage: Operation<typeof creditRoutes.getUsage> = ({ statements }, { input, caller }) =>
  statements().usage(caller.accountId, input.query);

export const handler = endpoint(creditRoutes.getUsage, getUsage);
