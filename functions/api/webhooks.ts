import type { webhookRoutes } from '#contract/routes/webhooks.ts';
import type { CheckedOperation, Operation } from '#runtime/operation.ts';

export const changeWebhook: CheckedOperation<typeof webhookRoutes.changeWebhook> = {
  check: async ({ webhooks }, { input }) => (await webhooks()).management().checkUrl(input.body.url),
  run: async ({ webhooks }, { input, caller }) =>
    (await webhooks()).management().change(caller.accountId, input.path.id, input.body),
};

export const createWebhook: CheckedOperation<typeof webhookRoutes.createWebhook> = {
  check: async ({ webhooks }, { input }) => (await webhooks()).management().checkUrl(input.body.url),
  run: async ({ webhooks }, { input, caller }) => (await webhooks()).management().create(caller.accountId, input.body),
};

export const deleteWebhook: Operation<typeof webhookRoutes.deleteWebhook> = async ({ webhooks }, { input, caller }) =>
  (await webhooks()).management().remove(caller.accountId, input.path.id);

export const getWebhook: Operation<typeof webhookRoutes.getWebhook> = async ({ webhooks }, { input, caller }) =>
  (await webhooks()).management().get(caller.accountId, input.path.id);

export const listDeliveries: Operation<typeof webhookRoutes.listDeliveries> = async ({ webhooks }, { input, caller }) =>
  (await webhooks()).deliveries().list(caller.accountId, input.path.id, input.query);

export const listWebhooks: Operation<typeof webhookRoutes.listWebhooks> = async ({ webhooks }, { input, caller }) =>
  (await webhooks()).management().list(caller.accountId, input.query);

export const redeliver: Operation<typeof webhookRoutes.redeliver> = async ({ webhooks }, { input, caller }) =>
  (await webhooks()).deliveries().redeliver(caller.accountId, input.path.id, input.path.deliveryId);

export const rotateWebhookSecret: Operation<typeof webhookRoutes.rotateWebhookSecret> = async (
  { webhooks },
  { input, caller },
) => (await webhooks()).management().rotateSecret(caller.accountId, input.path.id, input.body.graceSeconds);

export const testWebhook: Operation<typeof webhookRoutes.testWebhook> = async ({ webhooks }, { input, caller }) =>
  (await webhooks()).deliveries().test(caller.accountId, input.path.id);
