import { drawnText } from '../shared/base62.ts';
import type { Clock, Random } from '../shared/ports.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { DeliveryStore } from './delivery-store.ts';
import { type Delivery, deliveryView, newDelivery } from './delivery.ts';
import type { Notify } from './sending/notify.ts';
import type { WebhookService } from './webhook-service.ts';
import { laneOf, type Webhook } from './webhook.ts';

export interface DeliveryServiceParts {
  readonly webhooks: Pick<WebhookService, 'existing'>;
  readonly deliveries: Pick<DeliveryStore, 'page' | 'find' | 'requeue' | 'wake'>;
  /** Refuses (429) an account that has too much sent. */
  readonly demandSend: (accountId: number) => Promise<void>;
  readonly notify: Notify;
  readonly clock: Clock;
  readonly random: Random;
}

/** Random characters of a test's event id, as long as those of other events. */
const idCharacters = 22;

/** The deliveries of a webhook, for its owner to read, and to have sent. */
export function deliveryService({ webhooks, deliveries, demandSend, notify, clock, random }: DeliveryServiceParts) {
  async function list(
    accountId: number,
    id: string,
    { limit, cursor }: { limit: number; cursor?: string | undefined },
  ) {
    const webhook = await webhooks.existing(accountId, id);
    const { deliveries: shown, next } = await deliveries.page(webhook, limit, cursor, clock.now());
    return { items: shown.map((delivery) => deliveryView(delivery, webhook)), nextCursor: next };
  }

  async function test(accountId: number, id: string) {
    const webhook = await activeWebhook(accountId, id);
    const at = Math.floor(clock.now() / 1000);
    const event = { id: `evt_${drawnText(random.bytes(idCharacters))}`, type: 'webhook.test', at } as const;
    const delivery = newDelivery({ ...event, data: { accountId, webhookId: id } }, webhook, clock.now());
    return send(webhook, delivery);
  }

  async function redeliver(accountId: number, id: string, deliveryId: string) {
    const webhook = await activeWebhook(accountId, id);
    const delivery = await deliveries.find(webhook, deliveryId, clock.now());
    if (!delivery) throw new ServiceError('NOT_FOUND', 'There is no such delivery.');
    return send(webhook, delivery);
  }

  async function send(webhook: Webhook, delivery: Delivery) {
    await demandSend(webhook.accountId);
    const now = clock.now();
    const queued = await deliveries.requeue(delivery, now);
    const { accountId, id, health } = webhook;
    if (await deliveries.wake(webhook, now, now, true)) await notify({ accountId, ids: [id] }, laneOf(health), now);
    return deliveryView(queued, webhook);
  }

  async function activeWebhook(accountId: number, id: string): Promise<Webhook> {
    const webhook = await webhooks.existing(accountId, id);
    if (webhook.status === 'active') return webhook;
    throw new ServiceError('INVALID_STATE', 'The webhook is disabled. Set its status to active first.');
  }

  return { list, test, redeliver };
}
