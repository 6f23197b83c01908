import type { Meter } from '../meter/meter.ts';
import { hasFeature } from '../meter/plan-terms.ts';
import type { Clock } from '../shared/ports.ts';
import { type DeliveryStore, newDelivery } from './delivery.ts';
import { type AccountEvent, type MeterChange, eventId, eventsOf } from './events.ts';
import { type Notify, type Webhook, type WebhookStore, laneOf, wants } from './webhook.ts';

const concurrency = 10;

export interface DispatcherParts {
  readonly webhooks: Pick<WebhookStore, 'list'>;
  readonly deliveries: Pick<DeliveryStore, 'add' | 'wake'>;
  readonly notify: Notify;
  readonly clock: Clock;
}

type UnsentEvent = AccountEvent & { readonly id: string };
type NamedEvent = UnsentEvent & { readonly webhooks: ReadonlySet<string> };

export function dispatcher({ webhooks, deliveries, notify, clock }: DispatcherParts) {
  /** Creates a delivery for each event and webhook that the account had at the time. Idempotent. */
  async function dispatch(accountId: number, changes: readonly MeterChange[]): Promise<void> {
    await send(accountId, changes.filter(isEntitled).flatMap(named));
  }

  /** Handles an event that is not a change of the meter. `happenedAt` (epoch ms) excludes webhooks created later. */
  async function announce(account: Meter, event: UnsentEvent, happenedAt: number): Promise<void> {
    const { accountId, webhooks: ids } = account;
    if (!ids || !isEntitled({ before: undefined, after: account })) return;
    const then = (await webhooks.list(accountId)).filter(({ id, createdAt }) => ids.has(id) && createdAt <= happenedAt);
    await send(accountId, [{ ...event, webhooks: new Set(then.map(({ id }) => id)) }]);
  }

  async function send(accountId: number, events: readonly NamedEvent[]): Promise<void> {
    if (events.length === 0) return;
    const active = (await webhooks.list(accountId)).filter(({ status }) => status === 'active');
    const receivers = new Set<Webhook>();
    async function work(next: Iterable<NamedEvent>): Promise<void> {
      for (const event of next) {
        const wanting = active.filter((webhook) => event.webhooks.has(webhook.id) && wants(webhook, event.type));
        if (wanting.length === 0) continue;
        const created = wanting.map((webhook) => newDelivery(event, webhook, clock.now()));
        await deliveries.add(created, event.once);
        for (const webhook of wanting) receivers.add(webhook);
      }
    }
    // One-time events share a counter item, so concurrent writes would conflict.
    const [counted, others] = [events.filter(isCounted), events.filter((event) => !isCounted(event)).values()];
    await Promise.all([work(counted), ...Array.from({ length: concurrency }, () => work(others))]);
    await wake(accountId, [...receivers]);
  }

  /** Sends one message per lane and due time, so that one worker handles its webhooks together. */
  async function wake(accountId: number, receivers: readonly Webhook[]): Promise<void> {
    const now = clock.now();
    const due = receivers.map((webhook) => ({ webhook, at: Math.max(now, webhook.health.pausedUntil ?? 0) }));
    const woken = await Promise.all(due.map(({ webhook, at }) => deliveries.wake(webhook, at, now)));
    const unnoticed = due.filter((_, index) => woken[index]);
    const groups = Map.groupBy(unnoticed, ({ webhook, at }) => `${laneOf(webhook.health)} ${at}`).values();
    for (const group of groups) {
      const [first] = group;
      const ids = group.map(({ webhook }) => webhook.id);
      if (first) await notify({ accountId, ids }, laneOf(first.webhook.health), first.at);
    }
  }

  return { dispatch, announce };
}

/** The write that ends the plan is still an event of it. Suspended accounts send nothing. */
function isEntitled({ before, after }: Pick<MeterChange, 'before' | 'after'>): boolean {
  const isIncluded = [before, after].some((meter) => meter && hasFeature(meter, 'webhooks'));
  return isIncluded && after.closed === undefined;
}

const isCounted = ({ once }: AccountEvent): boolean => once !== undefined;

function named(change: MeterChange): NamedEvent[] {
  const { accountId, webhooks = new Set() } = change.after;
  return eventsOf(change).map((event, index) => ({ ...event, id: eventId(accountId, change.id, index), webhooks }));
}
