import { createHmac } from 'node:crypto';
import { webhooksPlan } from '#contract/billing/plans.ts';
import { maxDelaySeconds } from '#contract/platform/resources.ts';
import { limits } from '#contract/shared/limits.ts';
import { iso, isoOrNull } from '#contract/shared/time.ts';
import { type WebhookEventType, allEvents, type disabledReasons } from '#contract/webhooks/webhooks.ts';
import type { Metering } from '../meter/metering.ts';
import { hasFeature } from '../meter/periods.ts';
import { drawnText } from '../shared/credential.ts';
import type { Clock, MessageQueue, Random } from '../shared/ports.ts';
import { ServiceError } from '../shared/service-error.ts';
import { type Targets, checkTarget } from './target.ts';

export interface WebhookRef {
  readonly accountId: number;
  readonly id: string;
}

/** A signing secret. `until`: end of an old secret's validity, epoch ms. */
export interface Secret {
  readonly value: string;
  readonly until?: number | undefined;
}

export type DisabledReason = (typeof disabledReasons)[number];

/** Consecutive failed attempts, and the time of the first (epoch ms). */
export interface Health {
  readonly failures: number;
  readonly failingSince?: number | undefined;
  readonly pausedUntil?: number | undefined;
  readonly isSlow?: boolean | undefined;
}

/** Each speed has its own queue and workers, so that slow receivers do not delay fast ones. */
export type Speed = 'normal' | 'slow';

export interface Webhook extends WebhookRef {
  readonly url: string;
  readonly events: readonly string[];
  readonly description?: string | undefined;
  readonly status: 'active' | 'disabled';
  readonly disabledReason?: DisabledReason | undefined;
  readonly secrets: readonly Secret[];
  readonly createdAt: number;
  /** Version for optimistic locking. Every change by the owner increments it. */
  readonly revision: number;
  readonly health: Health;
}

export const healthy: Health = { failures: 0 };

export const speedOf = ({ isSlow = false }: Health): Speed => (isSlow ? 'slow' : 'normal');

export const wants = ({ events }: Webhook, type: WebhookEventType): boolean =>
  events.includes(allEvents) || events.includes(type);

export const signingSecrets = ({ secrets }: Webhook, now: number): readonly Secret[] =>
  secrets.filter(({ until }) => until === undefined || until > now);

export function webhookView(webhook: Webhook) {
  const { id, url, events, description = null, status, disabledReason = null, createdAt, health } = webhook;
  return {
    id,
    url,
    events: [...events],
    description,
    status,
    disabledReason,
    failingSince: isoOrNull(health.failingSince),
    createdAt: iso(createdAt),
  };
}

const secretPrefix = 'whsec_';
/** Standard Webhooks allows 24 to 64 bytes. */
const secretBytes = 32;

export function newSecret(random: Random): string {
  return secretPrefix + Buffer.from(random.bytes(secretBytes)).toString('base64');
}

export interface SignedMessage {
  readonly id: string;
  readonly body: string;
}

/** Headers of Standard Webhooks (https://www.standardwebhooks.com). `timestamp` in epoch seconds. */
export function signedHeaders({ id, body }: SignedMessage, timestamp: number, secrets: readonly string[]) {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(secretPrefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}

export interface WebhookGroup {
  readonly accountId: number;
  readonly ids: readonly string[];
}

/** Wakes a worker at a time (epoch ms). `hops`: consecutive runs that each woke the next. */
export type Notify = (webhooks: WebhookGroup, speed: Speed, at: number, hops?: number) => Promise<void>;

export interface Waking {
  /**
   * Returns false if no notification is needed: a worker is active or was just notified, or the webhook is inactive.
   */
  wake(ref: WebhookRef, at: number, now: number, isRequested?: boolean): Promise<boolean>;
}

export interface WakeMessage {
  readonly wake: WebhookGroup & { readonly hops: number };
}

/** Maximum consecutive runs, half an hour of work. Lambda's own limit (16) is disabled (docs/adr/0019-webhooks.md). */
export const maxHops = 60;

/** SQS delays a message for at most 15 minutes. */
export const hasMessage = (at: number, now: number): boolean => at - now <= maxDelaySeconds * 1000;

export function notifier(queues: Readonly<Record<Speed, () => Promise<MessageQueue>>>, clock: Clock): Notify {
  return async ({ accountId, ids }, speed, at, hops = 0) => {
    const now = clock.now();
    if (hops > maxHops || !hasMessage(at, now)) return;
    const message: WakeMessage = { wake: { accountId, ids, hops } };
    const delaySeconds = Math.max(0, Math.ceil((at - now) / 1000));
    await (await queues[speed]()).send(message, { group: String(accountId), delaySeconds });
  };
}

/** Written together with the account's meter, which lists its webhooks. */
export interface WebhookStore {
  list(accountId: number): Promise<Webhook[]>;
  find(ref: WebhookRef): Promise<Webhook | undefined>;
  create(webhook: Webhook): Promise<boolean>;
  /**
   * Requires `after.revision` to be one above the stored one. Returns false after a concurrent change. Resets the
   * health.
   */
  change(after: Webhook): Promise<boolean>;
  remove(ref: WebhookRef, now: number): Promise<boolean>;
}

interface NewWebhook {
  readonly url: string;
  readonly events: readonly string[];
  readonly description?: string | null | undefined;
}

interface WebhookChanges {
  readonly url?: string | undefined;
  readonly events?: readonly string[] | undefined;
  readonly description?: string | null | undefined;
  readonly status?: 'active' | 'disabled' | undefined;
}

export interface WebhookAccounts {
  readonly metering: Pick<Metering, 'current'>;
  readonly enforceChangeLimit: (accountId: number) => Promise<void>;
}

export interface WebhookServiceParts {
  readonly webhooks: WebhookStore;
  readonly deliveries: Waking;
  readonly accounts: WebhookAccounts;
  readonly notify: Notify;
  readonly targets: Targets;
  readonly clock: Clock;
  readonly random: Random;
}

const idCharacters = 16;
const maxTries = 5;

export type WebhookService = ReturnType<typeof webhookService>;

export function webhookService(parts: WebhookServiceParts) {
  const { webhooks, deliveries, accounts, notify, targets, clock, random } = parts;

  /** Throws 400. Not part of the schema, because allowed targets depend on the deployment. */
  function checkUrl(url: string | undefined): void {
    if (url !== undefined) checkTarget(url, targets);
  }

  async function requirePlan(accountId: number): Promise<void> {
    if (hasFeature(await accounts.metering.current(accountId, clock.now()), 'webhooks')) return;
    const { name } = webhooksPlan;
    const detail = name === undefined ? 'No plan includes webhooks.' : `Webhooks require the plan ${name} or above.`;
    throw new ServiceError('INSUFFICIENT_PERMISSIONS', detail);
  }

  async function create(accountId: number, { url, events, description }: NewWebhook) {
    await requirePlan(accountId);
    await accounts.enforceChangeLimit(accountId);
    const secret = newSecret(random);
    const webhook: Webhook = {
      accountId,
      id: `whk_${drawnText(random.bytes(idCharacters))}`,
      url,
      events,
      ...(typeof description === 'string' && { description }),
      status: 'active',
      secrets: [{ value: secret }],
      createdAt: clock.now(),
      revision: 1,
      health: healthy,
    };
    if (await webhooks.create(webhook)) return { ...webhookView(webhook), secret };
    throw new ServiceError(
      'INVALID_STATE',
      `An account can have at most ${limits.webhooks} webhooks. Delete one first.`,
    );
  }

  async function list(accountId: number, { limit, cursor }: { limit: number; cursor?: string | undefined }) {
    await requirePlan(accountId);
    const all = await webhooks.list(accountId);
    const start = cursor === undefined ? 0 : all.findIndex(({ id }) => id === cursor) + 1;
    const shown = all.slice(start, start + limit);
    const next = start + limit < all.length ? shown.at(-1)?.id : undefined;
    return { items: shown.map(webhookView), nextCursor: next ?? null };
  }

  async function existing(accountId: number, id: string): Promise<Webhook> {
    await requirePlan(accountId);
    const webhook = await webhooks.find({ accountId, id });
    if (webhook) return webhook;
    throw new ServiceError('NOT_FOUND', 'There is no such webhook.');
  }

  const get = async (accountId: number, id: string) => webhookView(await existing(accountId, id));

  /** Resets the webhook's health and sends its pending deliveries. */
  async function change(accountId: number, id: string, changes: WebhookChanges) {
    const after = await revise(accountId, id, (webhook) => changed(webhook, changes));
    if (after.status === 'active') await wakeNow(after);
    return webhookView(after);
  }

  async function wakeNow(webhook: Webhook): Promise<void> {
    const now = clock.now();
    if (await deliveries.wake(webhook, now, now))
      await notify({ accountId: webhook.accountId, ids: [webhook.id] }, 'normal', now);
  }

  async function remove(accountId: number, id: string): Promise<void> {
    const webhook = await existing(accountId, id);
    await accounts.enforceChangeLimit(accountId);
    if (!(await webhooks.remove(webhook, clock.now())))
      throw new ServiceError('NOT_FOUND', 'There is no such webhook.');
  }

  /** The previous secret also signs for `graceSeconds`. */
  async function rotateSecret(accountId: number, id: string, graceSeconds: number) {
    const secret = newSecret(random);
    const until = graceSeconds > 0 ? clock.now() + graceSeconds * 1000 : undefined;
    const after = await revise(accountId, id, (webhook) => {
      const [current] = webhook.secrets;
      const previous = current && until !== undefined ? [{ value: current.value, until }] : [];
      return { ...webhook, secrets: [{ value: secret }, ...previous] };
    });
    const previousSecretExpiresAt = isoOrNull(until);
    return { ...webhookView(after), secret, previousSecretExpiresAt };
  }

  async function revise(accountId: number, id: string, edit: (webhook: Webhook) => Webhook): Promise<Webhook> {
    let before = await existing(accountId, id);
    await accounts.enforceChangeLimit(accountId);
    for (let tries = 1; ; tries++) {
      const after = { ...edit(before), health: healthy, revision: before.revision + 1 };
      if (await webhooks.change(after)) return after;
      if (tries === maxTries) break;
      before = await existing(accountId, id);
    }
    const detail = 'The webhook is being changed by another request; try again.';
    throw new ServiceError('SERVICE_UNAVAILABLE', detail, { retryAfterSeconds: 1 });
  }

  return { checkUrl, create, list, existing, get, change, remove, rotateSecret };
}

function changed(webhook: Webhook, { url, events, description, status }: WebhookChanges): Webhook {
  const { description: current, disabledReason, ...rest } = webhook;
  const newest = description === undefined ? current : (description ?? undefined);
  const reason = status === 'disabled' ? 'requested' : status === undefined ? disabledReason : undefined;
  return {
    ...rest,
    ...(url !== undefined && { url }),
    ...(events !== undefined && { events }),
    ...(status !== undefined && { status }),
    ...(newest !== undefined && { description: newest }),
    ...(reason !== undefined && { disabledReason: reason }),
  };
}
