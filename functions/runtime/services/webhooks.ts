import * as v from 'valibot';
import { throwTogether, visitEach } from '#domain/shared/concurrency.ts';
import type { MessageQueue } from '#domain/shared/ports.ts';
import { deliveryService } from '#domain/webhooks/delivery.ts';
import { dispatcher, eventId, messageEvent } from '#domain/webhooks/events.ts';
import { isAllowedAddress } from '#domain/webhooks/target.ts';
import { type Speed, type WebhookRef, notifier, webhookService } from '#domain/webhooks/webhook.ts';
import { webhookWorker } from '#domain/webhooks/worker.ts';
import { isMessage, StoredMessage } from '#repositories/messages/messages.ts';
import { lastOf, meterOf } from '#repositories/meter/meter-item.ts';
import { deliveryStore } from '#repositories/webhooks/deliveries.ts';
import { webhookStore } from '#repositories/webhooks/webhooks.ts';
import { lazy } from '../process.ts';
import type { ItemChange } from '../stream-image.ts';
import type { CoreServices } from './core-services.ts';
import { dynamoClient } from './dynamo-client.ts';

const concurrency = 10;

export interface WebhookThrottles {
  readonly enforceChangeLimit: (accountId: number) => Promise<void>;
  readonly enforceSendLimit: (accountId: number) => Promise<void>;
}

export function webhookServices(
  core: CoreServices,
  queues: Readonly<Record<Speed, () => Promise<MessageQueue>>>,
  throttles: WebhookThrottles,
) {
  const { environment, clock, random, table, metering } = core;
  const { PUBLIC_ORIGIN, WEBHOOK_TARGETS: targets } = environment;
  const webhooks = lazy(() => webhookStore(dynamoClient(), table('webhooks'), () => table('meters')));
  const deliveries = lazy(() => {
    const tables = { webhooks: table('webhooks'), accounts: () => table('accounts') };
    return deliveryStore(dynamoClient(), tables, PUBLIC_ORIGIN, random);
  });
  const notify = notifier(queues, clock);
  const management = lazy(() => {
    const accounts = { metering: metering(), enforceChangeLimit: throttles.enforceChangeLimit };
    const parts = { webhooks: webhooks(), deliveries: deliveries(), accounts };
    return webhookService({ ...parts, notify, targets, clock, random });
  });
  const events = lazy(() => dispatcher({ webhooks: webhooks(), deliveries: deliveries(), notify, clock }));
  async function dispatchMeter(changes: readonly ItemChange[]): Promise<void> {
    const read = changes.map(({ id, before, after }) => {
      return { id, before: before && meterOf(before), after: meterOf(after), ...lastOf(after) };
    });
    const [first] = read;
    if (first) await events().dispatch(first.after.accountId, read);
  }

  async function dispatchMessage({ id, before, after }: ItemChange): Promise<void> {
    const message = v.parse(StoredMessage, after);
    const event = messageEvent(before && v.parse(StoredMessage, before), message);
    const account = event && (await metering().find(message.accountId));
    if (!event || !account) return;
    const named = { ...event, id: eventId(account.accountId, `message ${id}`, 0) };
    await events().announce(account, named, message.updatedAt);
  }

  return {
    management,
    deliveries: lazy(() => {
      const { enforceSendLimit } = throttles;
      return deliveryService({
        webhooks: management(),
        deliveries: deliveries(),
        enforceSendLimit,
        notify,
        clock,
        random,
      });
    }),
    /** Writes the events of consecutive changes of one meter or one message. */
    async dispatchEvents(changes: readonly ItemChange[]): Promise<void> {
      if (changes.some(({ after }) => isMessage(after))) for (const change of changes) await dispatchMessage(change);
      else await dispatchMeter(changes);
    },
    worker: lazy(async () => {
      const { httpReceiver } = await import('#gateways/webhooks/http-receiver.ts');
      const findOpen = async (accountId: number) => {
        const meter = await metering().find(accountId);
        return meter && meter.closed === undefined ? { webhooks: meter.webhooks?.size ?? 0 } : undefined;
      };
      return webhookWorker({
        deliveries: deliveries(),
        open: (url) => httpReceiver(url, { isAllowed: (address) => isAllowedAddress(address, targets) }),
        findOpen,
        notify,
        clock,
        wallClock: { now: () => Date.now() },
        random,
      });
    }),
    /** Queues the webhooks that have pending deliveries but no queued message. Returns their number. */
    async wakeAll(signal?: AbortSignal): Promise<number> {
      const now = clock.now();
      let woken = 0;
      const wake = async (webhook: WebhookRef): Promise<void> => {
        const speed = await deliveries().takeDue(webhook, now);
        if (!speed) return;
        await notify({ accountId: webhook.accountId, ids: [webhook.id] }, speed, now);
        woken += 1;
      };
      const { failures } = await visitEach(deliveries().webhooksDue(now), wake, { concurrency, signal });
      throwTogether(failures, 'webhooks could not be woken');
      return woken;
    },
  };
}
