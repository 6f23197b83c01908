import { creditRoutes } from '#contract/routes/billing/credits.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const getUsage: Operation<typeof creditRoutes.getUsage> = async ({ statements }, { input, caller }) =>
  (await statements()).usage(caller.accountId, input.query);

export const handler = endpoint(creditRoutes.getUsage, getUsage);
