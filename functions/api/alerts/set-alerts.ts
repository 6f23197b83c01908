import { alertRoutes } from '#contract/routes/alerts.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const setAlerts: Operation<typeof alertRoutes.setAlerts> = ({ alerts }, { input, caller }) =>
  alerts().set(caller.accountId, input.body);

export const handler = endpoint(alertRoutes.setAlerts, setAlerts);
