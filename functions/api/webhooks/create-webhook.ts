import { webhookRoutes } from '#contract/routes/webhooks.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { InputCheck, Operation } from '#runtime/endpoints/operation.ts';

const createWebhook: Operation<typeof webhookRoutes.createWebhook> = async ({ webhooks }, { input, caller }) =>
  (await webhooks()).management().create(caller.accountId, input.body);

const checkUrl: InputCheck<typeof webhookRoutes.createWebhook> = async ({ webhooks }, { input }) =>
  (await webhooks()).management().checkUrl(input.body.url);

export const handler = endpoint(webhookRoutes.createWebhook, createWebhook, checkUrl);
