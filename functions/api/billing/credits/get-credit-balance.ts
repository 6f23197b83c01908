import { creditRoutes } from '#contract/routes/billing/credits.ts';
import { shownBalance } from '#domain/billing/balance.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const getCreditBalance: Operation<typeof creditRoutes.getCreditBalance> = async ({ metering, clock }, { caller }) =>
  shownBalance(await metering().current(caller.accountId, clock.now()));

export const handler = endpoint(creditRoutes.getCreditBalance, getCreditBalance);
