import { webhookRoutes } from '#contract/routes/webhooks.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const getWebhook: Operation<typeof webhookRoutes.getWebhook> = async ({ webhooks }, { input, caller }) =>
  (await webhooks()).management().get(caller.accountId, input.path.id);

export const handler = endpoint(webhookRoutes.getWebhook, getWebhook);
