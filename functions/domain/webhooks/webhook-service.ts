import { webhooksPlan } from '#contract/billing/plans.ts';
import { limits } from '#contract/shared/limits.ts';
import type { Metering } from '../meter/metering.ts';
import { drawnText } from '../shared/base62.ts';
import type { Clock, Random } from '../shared/ports.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { DeliveryStore } from './delivery-store.ts';
import type { Notify } from './sending/notify.ts';
import { newSecret } from './sending/signature.ts';
import { checkTarget, type Targets } from './sending/target.ts';
import type { WebhookStore } from './webhook-store.ts';
import { healthy, type Webhook, webhookView } from './webhook.ts';

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
  /** Refuses (429) an account that changes its webhooks too often. */
  readonly demandChange: (accountId: number) => Promise<void>;
}

export interface WebhookServiceParts {
  readonly webhooks: WebhookStore;
  readonly deliveries: Pick<DeliveryStore, 'wake'>;
  readonly accounts: WebhookAccounts;
  readonly notify: Notify;
  readonly targets: Targets;
  readonly clock: Clock;
  readonly random: Random;
}

/** Random characters of an id: 95 bits. */
const idCharacters = 16;
const maxTries = 5;

export type WebhookService = ReturnType<typeof webhookService>;

/** The life of an account's webhooks (docs/webhooks.md). */
export function webhookService(parts: WebhookServiceParts) {
  const { webhooks, deliveries, accounts, notify, targets, clock, random } = parts;

  /** Refuses (400) what no schema can: where webhooks may be depends on the deployment. */
  function checkUrl(url: string | undefined): void {
    if (url !== undefined) checkTarget(url, targets);
  }

  /** Refuses (403) an account whose plan has none. */
  async function demandPlan(accountId: number): Promise<void> {
    const { planRank } = await accounts.metering.current(accountId, clock.now());
    if (planRank >= webhooksPlan.id) return;
    throw new ServiceError('INSUFFICIENT_PERMISSIONS', `Webhooks need the plan ${webhooksPlan.name} or above.`);
  }

  async function create(accountId: number, { url, events, description }: NewWebhook) {
    await demandPlan(accountId);
    await accounts.demandChange(accountId);
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
    await demandPlan(accountId);
    const all = await webhooks.list(accountId);
    const start = cursor === undefined ? 0 : all.findIndex(({ id }) => id === cursor) + 1;
    const shown = all.slice(start, start + limit);
    const next = start + limit < all.length ? shown.at(-1)?.id : undefined;
    return { items: shown.map(webhookView), nextCursor: next ?? null };
  }

  /** Refuses (403, 404) who may not, or a webhook that there is not. */
  async function existing(accountId: number, id: string): Promise<Webhook> {
    await demandPlan(accountId);
    const webhook = await webhooks.find({ accountId, id });
    if (webhook) return webhook;
    throw new ServiceError('NOT_FOUND', 'There is no such webhook.');
  }

  const get = async (accountId: number, id: string) => webhookView(await existing(accountId, id));

  /** Whatever is changed, the webhook counts as healthy again, and what waits for it is sent. */
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
    await accounts.demandChange(accountId);
    if (!(await webhooks.remove(webhook, clock.now())))
      throw new ServiceError('NOT_FOUND', 'There is no such webhook.');
  }

  /** A new secret immediately; the one before signs too for `graceSeconds`. */
  async function rotateSecret(accountId: number, id: string, graceSeconds: number) {
    const secret = newSecret(random);
    const until = graceSeconds > 0 ? clock.now() + graceSeconds * 1000 : undefined;
    const after = await revise(accountId, id, (webhook) => {
      const [current] = webhook.secrets;
      const previous = current && until !== undefined ? [{ value: current.value, until }] : [];
      return { ...webhook, secrets: [{ value: secret }, ...previous] };
    });
    const previousSecretExpiresAt = until === undefined ? null : new Date(until).toISOString();
    return { ...webhookView(after), secret, previousSecretExpiresAt };
  }

  async function revise(accountId: number, id: string, edit: (webhook: Webhook) => Webhook): Promise<Webhook> {
    let before = await existing(accountId, id);
    await accounts.demandChange(accountId);
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
