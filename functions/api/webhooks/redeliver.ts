import { webhookRoutes } from '#contract/routes/webhooks.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const redeliver: Operation<typeof webhookRoutes.redeliver> = async ({ webhooks }, { input, caller }) =>
  (await webhooks()).deliveries().redeliver(caller.accountId, input.path.id, input.path.deliveryId);

export const handler = endpoint(webhookRoutes.redeliver, redeliver);
