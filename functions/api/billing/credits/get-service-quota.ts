import { creditRoutes } from '#contract/routes/billing/credits.ts';
import { shownQuota } from '#domain/billing/balance.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const getServiceQuota: Operation<typeof creditRoutes.getServiceQuota> = async (
  { metering, clock },
  { input, caller },
) => shownQuota(await metering().current(caller.accountId, clock.now()), input.path.name);

export const handler = endpoint(creditRoutes.getServiceQuota, getServiceQuota);
