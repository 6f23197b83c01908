import { createHash } from 'node:crypto';
import { findPlan, freePlanRank, type PlanName, planOfRank } from '#contract/billing/plans.ts';
import { microPerCredit } from '#contract/billing/prices.ts';
import { isoOfSeconds } from '#contract/shared/time.ts';
import type { WebhookData, WebhookEventType } from '#contract/webhooks/webhooks.ts';
import { alertsOf, nameOfAlert } from '../alerts/alerts.ts';
import { imageOf, ledgerRows, type MeterImage } from '../billing/ledger.ts';
import type { Message } from '../messages/message.ts';
import { nextPeriod, type SpendingLimit } from '../meter/limits.ts';
import {
  heldOf,
  type Hold,
  type KeyEvent,
  type LedgerEntry,
  type Meter,
  type Period,
  type Subscription,
} from '../meter/meter.ts';
import { periodEnd, periodStart, hasFeature } from '../meter/periods.ts';
import { encodeBytes } from '../shared/credential.ts';
import type { Clock } from '../shared/ports.ts';
import { type DeliveryStore, newDelivery } from './delivery.ts';
import { speedOf, type Notify, wants, type Webhook, type WebhookStore } from './webhook.ts';

/** `at` in epoch seconds. `once`: a name that is used at most once per account. */
export type AccountEvent = {
  [Type in WebhookEventType]: {
    readonly type: Type;
    readonly at: number;
    readonly data: WebhookData<Type>;
    readonly once?: string;
  };
}[WebhookEventType];

export interface MeterChange {
  readonly id: string;
  readonly before: Meter | undefined;
  readonly after: Meter;
  readonly entries: readonly LedgerEntry[];
  readonly keyEvent?: KeyEvent | undefined;
}

/** Bytes of the digest, enough to avoid collisions. */
const idBytes = 16;
const idCharacters = 22;

/** Deterministic, so that a redelivered record yields the same ids. */
export function eventId(accountId: number, recordId: string, index: number): string {
  const digest = createHash('sha256').update(`${accountId} ${recordId} ${index}`).digest();
  return `evt_${encodeBytes(digest.subarray(0, idBytes), idCharacters)}`;
}

/** Depends only on the change, so that a redelivered change yields the same events in the same order. */
export function eventsOf(change: MeterChange): readonly AccountEvent[] {
  const { before, after, entries } = change;
  if (!before || after.closed === 'deleted') return [];
  const image = imageOf(after, entries);
  return [
    ...creditEvents(image),
    ...alertEvents(image),
    ...subscriptionEvents({ ...change, before }),
    ...keyEvents({ ...change, before }),
    ...transcriptionEvents(change),
  ];
}

function creditEvents(image: MeterImage): AccountEvent[] {
  const moved = ledgerRows(image).flatMap((row): AccountEvent[] => {
    const { accountId, seq, at, type, amount, source = 'plan' } = row;
    const data = { accountId, seq, credits: Math.abs(amount) / microPerCredit, balance: row.balance / microPerCredit };
    if (type === 'grant' && amount > 0) return [{ type: 'credits.granted', at, data: { ...data, source } }];
    return type === 'expiry' ? [{ type: 'credits.expired', at, data }] : [];
  });
  const { accountId, seq, alerts: _, cap: _cap, ...rest } = image;
  const data = { accountId, seq, balance: image.balance / microPerCredit };
  // Accounts without rules use the defaults: 80 and 100% of the month.
  const crossed = alertsOf({ accountId, ...rest }).map(({ rule, at }): AccountEvent => {
    return { type: rule.value === 100 ? 'credits.exhausted' : 'credits.low', at, data };
  });
  return [...moved, ...crossed];
}

function alertEvents(image: MeterImage): AccountEvent[] {
  const { accountId, seq, alerts, balance } = image;
  if (!alerts?.channels.includes('webhook')) return [];
  return alertsOf(image).map((alert): AccountEvent => {
    const { rule, period, keyId, at } = alert;
    const { kind, value } = rule;
    const data = { accountId, seq, kind, value, keyId: keyId ?? null, balance: balance / microPerCredit };
    return { type: 'alert.triggered', at, data, once: `${period}-${nameOfAlert(alert)}` };
  });
}

type Change = MeterChange & { readonly before: Meter };

function subscriptionEvents({ before, after, entries }: Change): AccountEvent[] {
  const at = entries.at(-1)?.at;
  if (at === undefined) return [];
  const [old, current] = [before.subscription, after.subscription];
  const isOther = old?.id !== current?.id;
  const ended = old && isOther ? [{ type: 'subscription.expired', at, data: dataOf(after, old) } as const] : [];
  if (!current) return ended;
  const data = dataOf(after, current);
  if (before.subscription?.id !== current.id) return [...ended, { type: 'subscription.created', at, data }];
  return [...renewals({ before, after }, current), ...changes({ before, after }, current, at)];
}

type Meters = Pick<Change, 'before' | 'after'>;

function renewals({ before, after }: Meters, current: Subscription): AccountEvent[] {
  const { anchor, index } = before.period;
  const isSame = before.subscription?.status === 'active' && anchor === after.period.anchor;
  const months = isSame ? Math.max(0, after.period.index - index) : 0;
  return Array.from({ length: months }, (_, month) => {
    const period: Period = { anchor, index: index + 1 + month };
    const at = periodStart(period);
    const data = {
      ...dataOf(after, current),
      periodStart: isoOfSeconds(at),
      periodEnd: isoOfSeconds(periodEnd(period)),
    };
    return { type: 'subscription.renewed', at, data };
  });
}

function changes({ before, after }: Meters, current: Subscription, at: number): AccountEvent[] {
  const data = dataOf(after, current);
  const wasActive = before.subscription?.status === 'active';
  const { status, endsAt = 0, creditsExpireAt = 0 } = current;
  if (status !== 'active') {
    const ends = { endsAt: isoOfSeconds(endsAt), creditsExpireAt: isoOfSeconds(creditsExpireAt) };
    return wasActive ? [{ type: 'subscription.cancelled', at, data: { ...data, ...ends } }] : [];
  }
  const previous = before.subscription ? planIn(before.subscription) : planIn(current);
  const plan = planIn(current);
  const resumed = wasActive
    ? []
    : [{ type: 'subscription.resumed', at, data: { ...data, planId: previous.name } } as const];
  if (previous.rank === plan.rank) return resumed;
  const type = plan.rank > previous.rank ? 'subscription.upgraded' : 'subscription.downgraded';
  return [...resumed, { type, at, data: { ...data, previousPlanId: previous.name } }];
}

function dataOf({ accountId, seq }: Meter, subscription: Subscription) {
  return { accountId, seq, subscriptionId: subscription.id, planId: planIn(subscription).name };
}

function planIn({ planId }: Subscription): { readonly name: PlanName; readonly rank: number } {
  return findPlan(planId) ?? planOfRank(freePlanRank);
}

function keyEvents(change: Change): AccountEvent[] {
  const { after, keyEvent, entries } = change;
  const reached = entries.flatMap((entry) => limitReached(change, entry));
  if (!keyEvent) return reached;
  const { type, at, keyId } = keyEvent;
  const data = { accountId: after.accountId, seq: after.seq, keyId };
  if (type !== 'rotated') return [{ type: `key.${type}`, at, data }];
  const { previousKeyId, previousExpiresAt } = keyEvent;
  const until = previousExpiresAt === undefined ? null : isoOfSeconds(previousExpiresAt);
  return [{ type: 'key.rotated', at, data: { ...data, previousKeyId, previousExpiresAt: until } }];
}

/** Detects a charge that leaves less than one credit of the key's limit. Ignores holds, which may be returned. */
function limitReached({ before, after }: Change, { type, at, amount, requestId }: LedgerEntry): AccountEvent[] {
  const hold = type === 'charge' && requestId !== undefined ? before.holds.get(requestId) : undefined;
  const budget = hold?.budget && after.budgets.get(hold.budget.id);
  if (!hold?.budget || !budget || budget.start !== hold.budget.start) return [];
  const limit = limitOf(after, hold, hold.budget.id);
  if (!limit) return [];
  const used = budget.used - heldOf(after, hold.budget);
  const isReached = (spent: number): boolean => limit.amount - spent < microPerCredit;
  if (!isReached(used) || isReached(used + amount)) return [];
  const resets = nextPeriod(limit.period, at);
  const data = {
    accountId: after.accountId,
    seq: after.seq,
    keyId: hold.keyId,
    limit: { credits: limit.amount / microPerCredit, period: limit.period },
    used: used / microPerCredit,
    resetsAt: resets === undefined ? null : isoOfSeconds(resets),
  };
  return [{ type: 'key.limit_reached', at, data }];
}

function limitOf({ keys }: Meter, { keyId }: Hold, budget: string): SpendingLimit | undefined {
  const own = keys.get(keyId)?.limit;
  if (own?.budget === budget) return own;
  return keys.values().find(({ limit }) => limit?.budget === budget)?.limit;
}

/** The end of a transcription is a meter entry, even without a refund. */
function transcriptionEvents({ after, entries }: Pick<MeterChange, 'after' | 'entries'>): AccountEvent[] {
  const { accountId, seq } = after;
  return entries.flatMap(({ at, job }): AccountEvent[] => {
    if (!job) return [];
    const { id: transcriptionId, status, cost, durationSeconds = 0 } = job;
    const data = { accountId, seq, transcriptionId, credits: cost / microPerCredit };
    if (status === 'completed') return [{ type: 'transcription.completed', at, data: { ...data, durationSeconds } }];
    if (status !== 'failed' && status !== 'expired') return [];
    return [{ type: 'transcription.failed', at, data: { ...data, status } }];
  });
}

type MessageEvent = Extract<AccountEvent, { readonly type: `message.${string}` }>;

/** Converts a change of a message's status to an event, if it is one. Contains neither number nor text. */
export function messageEvent(before: Message | undefined, after: Message): MessageEvent | undefined {
  const {
    status,
    failure,
    accountId,
    id: messageId,
    channel,
    country,
    segments,
    reference,
    credits,
    updatedAt,
  } = after;
  if (before?.status === status || status === 'queued' || status === 'unknown') return undefined;
  const data = { accountId, messageId, channel, failure, country, segments, reference, credits };
  return { type: `message.${status}`, at: Math.floor(updatedAt / 1000), data };
}

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

  /** Sends one message per speed and due time, so that one worker handles its webhooks together. */
  async function wake(accountId: number, receivers: readonly Webhook[]): Promise<void> {
    const now = clock.now();
    const due = receivers.map((webhook) => ({ webhook, at: Math.max(now, webhook.health.pausedUntil ?? 0) }));
    const woken = await Promise.all(due.map(({ webhook, at }) => deliveries.wake(webhook, at, now)));
    const unnoticed = due.filter((_, index) => woken[index]);
    const groups = Map.groupBy(unnoticed, ({ webhook, at }) => `${speedOf(webhook.health)} ${at}`).values();
    for (const group of groups) {
      const [first] = group;
      const ids = group.map(({ webhook }) => webhook.id);
      if (first) await notify({ accountId, ids }, speedOf(first.webhook.health), first.at);
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
