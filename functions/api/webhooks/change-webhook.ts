import { webhookRoutes } from '#contract/routes/webhooks.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { InputCheck, Operation } from '#runtime/endpoints/operation.ts';

const changeWebhook: Operation<typeof webhookRoutes.changeWebhook> = async ({ webhooks }, { input, caller }) =>
  (await webhooks()).management().change(caller.accountId, input.path.id, input.body);

const checkUrl: InputCheck<typeof webhookRoutes.changeWebhook> = async ({ webhooks }, { input }) =>
  (await webhooks()).management().checkUrl(input.body.url);

export const handler = endpoint(webhookRoutes.changeWebhook, changeWebhook, checkUrl);
