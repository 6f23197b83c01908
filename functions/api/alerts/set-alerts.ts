import { alertRoutes } from '#contract/routes/alerts.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const setAlerts: Operation<typeof alertRoutes.setAlerts> = ({ alerts }, { input, caller }) =>
  alerts().set(caller.accountId, input.body);

export const handler = endpoint(alertRoutes.setAlerts, setAlerts);
