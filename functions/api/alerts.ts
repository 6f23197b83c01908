import type { alertRoutes } from '#contract/routes/alerts.ts';
import type { Operation } from '#runtime/operation.ts';

export const getAlerts: Operation<typeof alertRoutes.getAlerts> = ({ alerts }, { caller }) =>
  alerts().get(caller.accountId);

export const setAlerts: Operation<typeof alertRoutes.setAlerts> = ({ alerts }, { input, caller }) =>
  alerts().set(caller.accountId, input.body);
