import { defineRoute, type Route } from '../http/route.ts';
import {
  CreatedWebhook,
  Delivery,
  DeliveryList,
  DeliveryPath,
  DeliveryQuery,
  NewWebhook,
  RotatedWebhook,
  SecretRotation,
  Webhook,
  WebhookChange,
  WebhookList,
  WebhookPath,
  WebhookQuery,
} from '../webhooks/webhooks.ts';

const shared = { credential: 'session or key', confirmed: true } as const;

/** The plan is settled and read on the way; accounts hold sessions and throttles. */
const reading = { tables: { accounts: 'write', meters: 'write', webhooks: 'read' } } as const;
const changing = { tables: { accounts: 'write', meters: 'write', webhooks: 'write' } } as const;
const once = { tables: { ...changing.tables, idempotency: 'delete' } } as const;
const sending = { queues: ['webhooks'] } as const;

const path = '/api/webhooks';
const created = { status: 201, message: 'SUCCESS' };

/** Webhooks: endpoints of an account that its events are sent to. */
export const webhookRoutes = {
  createWebhook: defineRoute({
    ...shared,
    id: 'create-webhook',
    method: 'POST',
    path,
    summary: 'Create a webhook; its secret is shown once',
    bodyInput: NewWebhook,
    output: CreatedWebhook,
    success: created,
    refusals: ['INSUFFICIENT_PERMISSIONS', 'INVALID_STATE', 'RATE_LIMIT_EXCEEDED'],
    idempotent: true,
    uses: once,
  }),
  listWebhooks: defineRoute({
    ...shared,
    id: 'list-webhooks',
    method: 'GET',
    path,
    summary: 'List the webhooks, newest first',
    queryInput: WebhookQuery,
    output: WebhookList,
    refusals: ['INSUFFICIENT_PERMISSIONS'],
    uses: reading,
  }),
  getWebhook: defineRoute({
    ...shared,
    id: 'get-webhook',
    method: 'GET',
    path: `${path}/{id}`,
    summary: 'Get a webhook',
    pathInput: WebhookPath,
    output: Webhook,
    refusals: ['INSUFFICIENT_PERMISSIONS', 'NOT_FOUND'],
    uses: reading,
  }),
  changeWebhook: defineRoute({
    ...shared,
    id: 'change-webhook',
    method: 'PATCH',
    path: `${path}/{id}`,
    summary: 'Change the URL, events, description or status of a webhook',
    pathInput: WebhookPath,
    bodyInput: WebhookChange,
    output: Webhook,
    refusals: ['INSUFFICIENT_PERMISSIONS', 'NOT_FOUND', 'RATE_LIMIT_EXCEEDED'],
    uses: { ...changing, ...sending },
  }),
  deleteWebhook: defineRoute({
    ...shared,
    id: 'delete-webhook',
    method: 'DELETE',
    path: `${path}/{id}`,
    summary: 'Delete a webhook and its log',
    pathInput: WebhookPath,
    refusals: ['INSUFFICIENT_PERMISSIONS', 'NOT_FOUND', 'RATE_LIMIT_EXCEEDED'],
    uses: { tables: { ...changing.tables, webhooks: 'delete' } },
  }),
  rotateWebhookSecret: defineRoute({
    ...shared,
    id: 'rotate-webhook-secret',
    method: 'POST',
    path: `${path}/{id}/rotate-secret`,
    summary: 'Replace the secret of a webhook by a new one, with an optional grace period in which both sign',
    pathInput: WebhookPath,
    bodyInput: SecretRotation,
    output: RotatedWebhook,
    success: created,
    refusals: ['INSUFFICIENT_PERMISSIONS', 'NOT_FOUND', 'RATE_LIMIT_EXCEEDED'],
    idempotent: true,
    uses: once,
  }),
  testWebhook: defineRoute({
    ...shared,
    id: 'test-webhook',
    method: 'POST',
    path: `${path}/{id}/test`,
    summary: 'Send the event webhook.test to a webhook',
    pathInput: WebhookPath,
    output: Delivery,
    success: created,
    refusals: ['INSUFFICIENT_PERMISSIONS', 'NOT_FOUND', 'INVALID_STATE', 'RATE_LIMIT_EXCEEDED'],
    idempotent: true,
    uses: { ...once, ...sending },
  }),
  listDeliveries: defineRoute({
    ...shared,
    id: 'list-deliveries',
    method: 'GET',
    path: `${path}/{id}/deliveries`,
    summary: 'List the deliveries of a webhook in the last 30 days, newest first',
    pathInput: WebhookPath,
    queryInput: DeliveryQuery,
    output: DeliveryList,
    refusals: ['INSUFFICIENT_PERMISSIONS', 'NOT_FOUND'],
    uses: reading,
  }),
  redeliver: defineRoute({
    ...shared,
    id: 'redeliver',
    method: 'POST',
    path: `${path}/{id}/deliveries/{deliveryId}/redeliver`,
    summary: 'Send a delivery again, whatever its status',
    pathInput: DeliveryPath,
    output: Delivery,
    refusals: ['INSUFFICIENT_PERMISSIONS', 'NOT_FOUND', 'INVALID_STATE', 'RATE_LIMIT_EXCEEDED'],
    idempotent: true,
    uses: { ...once, ...sending },
  }),
} as const satisfies Record<string, Route>;
