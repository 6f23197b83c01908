import { creditRoutes } from '#contract/routes/billing/credits.ts';
import { shownCredits } from '#domain/billing/balance.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const getCredits: Operation<typeof creditRoutes.getCredits> = async (
  { metering, statements, clock },
  { input, caller },
) => {
  const { page: pageOf } = await statements();
  const meter = metering().current(caller.accountId, clock.now());
  const seq = meter.then((current) => current.seq);
  const page = await pageOf(caller.accountId, seq, input.query);
  return { ...shownCredits(await meter), ...page };
};

export const handler = endpoint(creditRoutes.getCredits, getCredits);
