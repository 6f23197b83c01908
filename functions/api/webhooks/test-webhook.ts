import { webhookRoutes } from '#contract/routes/webhooks.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const testWebhook: Operation<typeof webhookRoutes.testWebhook> = async ({ webhooks }, { input, caller }) =>
  (await webhooks()).deliveries().test(caller.accountId, input.path.id);

export const handler = endpoint(webhookRoutes.testWebhook, testWebhook);
