import { webhookRoutes } from '#contract/routes/webhooks.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const rotateWebhookSecret: Operation<typeof webhookRoutes.rotateWebhookSecret> = async (
  { webhooks },
  { input, caller },
) => (await webhooks()).management().rotateSecret(caller.accountId, input.path.id, input.body.graceSeconds);

export const handler = endpoint(webhookRoutes.rotateWebhookSecret, rotateWebhookSecret);
