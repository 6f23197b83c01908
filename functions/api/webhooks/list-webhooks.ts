import { webhookRoutes } from '#contract/routes/webhooks.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const listWebhooks: Operation<typeof webhookRoutes.listWebhooks> = async ({ webhooks }, { input, caller }) =>
  (await webhooks()).management().list(caller.accountId, input.query);

export const handler = endpoint(webhookRoutes.listWebhooks, listWebhooks);
