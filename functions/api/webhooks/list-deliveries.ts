import { webhookRoutes } from '#contract/routes/webhooks.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const listDeliveries: Operation<typeof webhookRoutes.listDeliveries> = async ({ webhooks }, { input, caller }) =>
  (await webhooks()).deliveries().list(caller.accountId, input.path.id, input.query);

export const handler = endpoint(webhookRoutes.listDeliveries, listDeliveries);
