import { webhookRoutes } from '#contract/routes/webhooks.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const rotateWebhookSecret: Operation<typeof webhookRoutes.rotateWebhookSecret> = async (
  { webhooks },
  { input, caller },
) => (await webhooks()).management().rotateSecret(caller.accountId, input.path.id, input.body.graceSeconds);

export const handler = endpoint(webhookRoutes.rotateWebhookSecret, rotateWebhookSecret);
