import { alertRoutes } from '#contract/routes/alerts.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const getAlerts: Operation<typeof alertRoutes.getAlerts> = ({ alerts }, { caller }) => alerts().get(caller.accountId);

export const handler = endpoint(alertRoutes.getAlerts, getAlerts);
