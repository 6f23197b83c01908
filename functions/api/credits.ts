import { pricedServices } from '#contract/listings.ts';
import type { alertRoutes } from '#contract/routes/alerts.ts';
import type { creditRoutes } from '#contract/routes/credits.ts';
import { balanceView, creditsView, quotaView } from '#domain/billing/balance.ts';
import type { Operation } from '#runtime/operation.ts';

export const getCreditBalance: Operation<typeof creditRoutes.getCreditBalance> = async (
  { metering, clock },
  { caller },
) => balanceView(await metering().current(caller.accountId, clock.now()));

export const getCredits: Operation<typeof creditRoutes.getCredits> = async (
  { metering, statements, clock },
  { input, caller },
) => {
  const { page: pageOf } = await statements();
  const meter = metering().current(caller.accountId, clock.now());
  const seq = meter.then((current) => current.seq);
  const page = await pageOf(caller.accountId, seq, input.query);
  return { ...creditsView(await meter), ...page };
};

export const getServiceQuota: Operation<typeof creditRoutes.getServiceQuota> = async (
  { metering, clock },
  { input, caller },
) => quotaView(await metering().current(caller.accountId, clock.now()), input.path.name);

export const getUsage: Operation<typeof creditRoutes.getUsage> = async (
  { metering, statements },
  { input, caller },
) => {
  const { usage } = await statements();
  const currentSeq = async () => (await metering().find(caller.accountId))?.seq ?? 0;
  return usage(caller.accountId, currentSeq, input.query);
};

export const listRequests: Operation<typeof creditRoutes.listRequests> = async ({ requestLog }, { input, caller }) =>
  (await requestLog()).list(caller.accountId, input.query);

export const getLimits: Operation<typeof creditRoutes.getLimits> = async ({ spendingLimits }, { caller }) =>
  (await spendingLimits()).get(caller.accountId);

export const setLimits: Operation<typeof creditRoutes.setLimits> = async ({ spendingLimits }, { input, caller }) =>
  (await spendingLimits()).set(caller.accountId, input.body.monthlyCredits);

export const listServices: Operation<typeof creditRoutes.listServices> = () => ({ services: pricedServices() });

export const getAlerts: Operation<typeof alertRoutes.getAlerts> = ({ alerts }, { caller }) =>
  alerts().get(caller.accountId);

export const setAlerts: Operation<typeof alertRoutes.setAlerts> = ({ alerts }, { input, caller }) =>
  alerts().set(caller.accountId, input.body);
