import { alertRoutes } from '#contract/routes/alerts.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const getAlerts: Operation<typeof alertRoutes.getAlerts> = ({ alerts }, { caller }) => alerts().get(caller.accountId);

export const handler = endpoint(alertRoutes.getAlerts, getAlerts);
