import { creditRoutes } from '#contract/routes/billing/credits.ts';
import { shownCredits } from '#domain/billing/balance.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const getCredits: Operation<typeof creditRoutes.getCredits> = async (
  { metering, statements, clock },
  { input, caller },
) => {
  const meter = await metering().current(caller.accountId, clock.now());
  return { ...shownCredits(meter), ...(await statements().page(caller.accountId, meter.seq, input.query)) };
};

export const handler = endpoint(creditRoutes.getCredits, getCredits);
