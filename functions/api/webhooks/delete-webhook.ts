import { webhookRoutes } from '#contract/routes/webhooks.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const deleteWebhook: Operation<typeof webhookRoutes.deleteWebhook> = async ({ webhooks }, { input, caller }) =>
  (await webhooks()).management().remove(caller.accountId, input.path.id);

export const handler = endpoint(webhookRoutes.deleteWebhook, deleteWebhook);
