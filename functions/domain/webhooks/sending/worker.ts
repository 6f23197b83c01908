import { newRequestId } from '../../shared/credential.ts';
import type { Clock, Random } from '../../shared/ports.ts';
import type { DeliveryStore, Lease } from '../delivery-store.ts';
import type { AttemptResult, DueDelivery } from '../delivery.ts';
import { type DisabledReason, type Health, healthy, signingSecrets, type WebhookRef } from '../webhook.ts';
import type { Notify } from './notify.ts';
import { hasFailedForLong, healthAfterFailure, isGone, isProbing, isSuccess, nextAttempt } from './retry.ts';
import { signedHeaders } from './signature.ts';

/** Sends requests to one URL, over connections that are kept until it is closed. Never throws for what is at the other end. */
export interface Receiver {
  send(headers: Readonly<Record<string, string>>, body: string): Promise<AttemptResult>;
  close(): void;
}

export interface WorkerParts {
  readonly deliveries: Pick<DeliveryStore, 'acquire' | 'due' | 'record' | 'release' | 'park' | 'disable'>;
  readonly open: (url: string) => Receiver;
  /** Whether the account may send: it is neither suspended nor deleted. */
  readonly isOpen: (accountId: number) => Promise<boolean>;
  readonly notify: Notify;
  readonly clock: Clock;
  /** The time of the world, which receivers compare timestamps with. */
  readonly wallClock: Clock;
  readonly random: Random;
}

/** Concurrent requests to a webhook, and deliveries that are read at a time. */
const concurrency = 10;
const pageSize = 100;

/** A worker begins no more attempts after this; the last of them ends within the function's time, and the lease after that. */
const workMs = 30_000;
const leaseMs = 75_000;

/** Sends what is due to webhooks. One worker at a time has a webhook, so that it is sent no more than so many requests concurrently. */
export function webhookWorker(parts: WorkerParts) {
  return async (ref: WebhookRef, hops = 0): Promise<void> => {
    const { deliveries, clock, random } = parts;
    const now = clock.now();
    const lease = await deliveries.acquire(ref, newRequestId(random), now, now + leaseMs);
    if (!lease) return;
    const work = new Work(parts, lease, now + workMs, hops);
    try {
      await work.run();
    } finally {
      work.close();
    }
  };
}

class Work {
  readonly #parts: WorkerParts;
  readonly #endsAt: number;
  readonly #hops: number;
  #lease: Lease;
  #health: Health;
  #receiver: Receiver;
  #disabledFor: DisabledReason | undefined;

  constructor(parts: WorkerParts, lease: Lease, endsAt: number, hops: number) {
    this.#parts = parts;
    this.#endsAt = endsAt;
    this.#hops = hops;
    this.#lease = lease;
    this.#health = lease.webhook.health;
    this.#receiver = parts.open(lease.webhook.url);
  }

  async run(): Promise<void> {
    const { deliveries, clock, notify, isOpen } = this.#parts;
    const { accountId } = this.#lease.webhook;
    if (!(await isOpen(accountId))) return deliveries.park(this.#lease);
    for (;;) {
      await this.#emptyQueue();
      if (this.#disabledFor) return deliveries.disable(this.#lease, this.#disabledFor, clock.now());
      const released = await deliveries.release(this.#lease, this.#health, clock.now());
      if (!('renewed' in released)) {
        if (released.dueAt !== undefined) await notify(this.#lease.webhook, released.dueAt, this.#hops + 1);
        return;
      }
      this.#take(released.renewed);
      if (this.#lease.webhook.status !== 'active') return deliveries.park(this.#lease);
    }
  }

  close(): void {
    this.#receiver.close();
  }

  #take(lease: Lease): void {
    const isChanged = lease.webhook.revision !== this.#lease.webhook.revision;
    this.#lease = lease;
    if (!isChanged) return;
    this.#health = lease.webhook.health;
    this.#receiver.close();
    this.#receiver = this.#parts.open(lease.webhook.url);
  }

  /** Until nothing is due, the webhook fails, or the time is up. */
  async #emptyQueue(): Promise<void> {
    const { clock, deliveries } = this.#parts;
    while (clock.now() < this.#endsAt && !this.#disabledFor) {
      const isProbe = isProbing(this.#health);
      const due = await deliveries.due(this.#lease.webhook, clock.now(), isProbe ? 1 : pageSize);
      const wanted = due.filter((delivery) => this.#maySend(delivery, isProbe));
      if (wanted.length === 0) return;
      await this.#sendAll(wanted, isProbe);
    }
  }

  async #sendAll(due: readonly DueDelivery[], isProbe: boolean): Promise<void> {
    const next = due.values();
    const work = async (): Promise<void> => {
      for (const delivery of next) if (this.#maySend(delivery, isProbe)) await this.#attempt(delivery);
    };
    await Promise.all(Array.from({ length: concurrency }, work));
  }

  /** What may not be sent now stays in the queue as it is, and counts no attempt. */
  #maySend({ isRequested }: DueDelivery, isProbe: boolean): boolean {
    const now = this.#parts.clock.now();
    if (now >= this.#endsAt || this.#disabledFor) return false;
    const isPaused = (this.#health.pausedUntil ?? 0) > now;
    return isRequested || (!isPaused && (isProbe || !isProbing(this.#health)));
  }

  async #attempt(delivery: DueDelivery): Promise<void> {
    const { wallClock } = this.#parts;
    const { eventId: id, body } = delivery;
    const secrets = signingSecrets(this.#lease.webhook, this.#parts.clock.now()).map(({ value }) => value);
    const headers = signedHeaders({ id, body }, Math.floor(wallClock.now() / 1000), secrets);
    await this.#record(delivery, await this.#receiver.send(headers, body));
  }

  async #record(delivery: DueDelivery, result: AttemptResult): Promise<void> {
    const { deliveries, clock, random } = this.#parts;
    if (isSuccess(result)) {
      this.#health = healthy;
      return deliveries.record({ delivery, result, status: 'delivered' });
    }
    const now = clock.now();
    this.#health = healthAfterFailure(this.#health, result, now);
    if (isGone(result)) this.#disabledFor = 'gone';
    else if (hasFailedForLong(this.#health, now)) this.#disabledFor ??= 'failing';
    const nextAttemptAt = isGone(result) ? undefined : nextAttempt(delivery.tries + 1, result, now, random);
    return deliveries.record({
      delivery,
      result,
      status: nextAttemptAt === undefined ? 'exhausted' : 'pending',
      nextAttemptAt,
    });
  }
}
