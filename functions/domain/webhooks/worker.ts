import { dayMs, hourMs, minuteMs, doublingPause, secondMs } from '#contract/shared/time.ts';
import { throwTogether, visitEach } from '../shared/concurrency.ts';
import { newRequestId } from '../shared/credential.ts';
import type { Clock, Random } from '../shared/ports.ts';
import type { AttemptResult, DeliveryStore, DueDelivery, Lease } from './delivery.ts';
import {
  type DisabledReason,
  type Health,
  type Speed,
  type Notify,
  type WebhookGroup,
  healthy,
  speedOf,
  signedHeaders,
  signingSecrets,
} from './webhook.ts';

/** Sends requests to one URL with keep-alive. Never throws for errors of the receiver. */
export interface Receiver {
  send(headers: Readonly<Record<string, string>>, body: string): Promise<AttemptResult>;
  close(): void;
}

export interface WorkerParts {
  readonly deliveries: Pick<
    DeliveryStore,
    'acquire' | 'workersBefore' | 'due' | 'record' | 'release' | 'park' | 'disable'
  >;
  readonly open: (url: string) => Receiver;
  /** Number of webhooks of an account; undefined if it is suspended or deleted. */
  readonly findOpen: (accountId: number) => Promise<{ readonly webhooks: number } | undefined>;
  readonly notify: Notify;
  readonly clock: Clock;
  readonly wallClock: Clock;
  readonly random: Random;
}

/** Concurrent requests per webhook, and deliveries per read. */
const concurrency = 10;
const pageSize = 100;

/**
 * Milliseconds in which attempts start. A slow turn is one round of requests, so that accounts alternate.
 */
const workMs: Readonly<Record<Speed, number>> = { normal: 30_000, slow: secondMs };
const leaseMs = 75_000;

const slowMs = 2000;

/** Concurrent workers of normal speed per account; further webhooks become slow. */
const maxWorkers = 4;

type SendingState = 'open' | 'closed' | 'over its share';

interface Turn extends Pick<Lease, 'token' | 'speed' | 'until'> {
  /** No attempt starts later, so that all end within the lease. */
  readonly latest: number;
  readonly hops: number;
  readonly stateOf: (lease: Lease) => Promise<SendingState>;
}

/** Sends due deliveries. Only one worker holds a webhook, which bounds its concurrent requests. */
export function webhookWorker(parts: WorkerParts) {
  const { deliveries, findOpen, clock, random } = parts;

  async function sendingStateOf(lease: Lease): Promise<SendingState> {
    const account = await findOpen(lease.webhook.accountId);
    if (!account) return 'closed';
    // Fewer webhooks cannot occupy more workers.
    if (lease.speed === 'slow' || account.webhooks <= maxWorkers) return 'open';
    return (await deliveries.workersBefore(lease, clock.now())) < maxWorkers ? 'open' : 'over its share';
  }

  return async ({ accountId, ids }: WebhookGroup, speed: Speed, hops = 0): Promise<void> => {
    const now = clock.now();
    let state: Promise<SendingState> | undefined;
    const turn: Turn = {
      token: newRequestId(random),
      speed,
      until: now + leaseMs,
      latest: now + workMs.normal,
      hops,
      stateOf: (lease) => (state ??= sendingStateOf(lease)),
    };
    async function workOn(id: string): Promise<void> {
      const lease = await deliveries.acquire({ accountId, id }, turn, now);
      if (!lease) return;
      const work = new Work(parts, lease, turn);
      try {
        await work.run();
      } finally {
        work.close();
      }
    }
    const { failures } = await visitEach(ids.values(), workOn, { concurrency: ids.length });
    throwTogether(failures, 'webhooks could not be sent their deliveries');
  };
}

class Work {
  readonly #parts: WorkerParts;
  readonly #turn: Turn;
  readonly #underWay = new Set<{ readonly since: number }>();
  #lease: Lease;
  #health: Health;
  #receiver: Receiver;
  #disabledFor: DisabledReason | undefined;
  #isSlow: boolean | undefined;
  #hasFailed = false;
  #isOverShare = false;
  /** Begins with the first attempt, so that slow reads before it do not end a turn that has sent nothing. */
  #endsAt: number | undefined;

  constructor(parts: WorkerParts, lease: Lease, turn: Turn) {
    this.#parts = parts;
    this.#turn = turn;
    this.#lease = lease;
    this.#health = lease.webhook.health;
    this.#receiver = parts.open(lease.webhook.url);
  }

  async run(): Promise<void> {
    const { deliveries, clock, notify } = this.#parts;
    const { accountId, id } = this.#lease.webhook;
    const state = await this.#turn.stateOf(this.#lease);
    if (state === 'closed') return deliveries.park(this.#lease);
    this.#isOverShare = state === 'over its share';
    for (;;) {
      await this.#emptyQueue();
      if (this.#disabledFor) return deliveries.disable(this.#lease, this.#disabledFor, clock.now());
      const isSlow = this.#isSlow ?? this.#lease.webhook.health.isSlow ?? false;
      const released = await deliveries.release(this.#lease, { ...this.#health, isSlow }, clock.now());
      if (!('renewed' in released)) {
        const speed = this.#isOverShare ? 'slow' : speedOf({ ...this.#health, isSlow });
        if (released.dueAt !== undefined)
          await notify({ accountId, ids: [id] }, speed, released.dueAt, this.#turn.hops + 1);
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
    this.#isSlow = undefined;
    this.#receiver.close();
    this.#receiver = this.#parts.open(lease.webhook.url);
  }

  /** Runs until the queue is empty, the webhook fails or becomes slow, or the time is up. */
  async #emptyQueue(): Promise<void> {
    const { clock, deliveries } = this.#parts;
    while (!this.#isOver(clock.now()) && !this.#disabledFor && !this.#becomesSlow()) {
      const isProbe = isProbing(this.#health);
      const due = await deliveries.due(this.#lease.webhook, clock.now(), isProbe ? 1 : pageSize);
      this.#endsAt ??= clock.now() + workMs[this.#turn.speed];
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
    const loop = (): Promise<void> =>
      work().catch((error: unknown) => {
        this.#hasFailed = true;
        throw error;
      });
    // Running requests finish and are recorded before the failure closes their connections.
    const outcomes = await Promise.allSettled(Array.from({ length: concurrency }, loop));
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  }

  /** Other deliveries stay in the queue without a counted attempt. */
  #maySend({ isRequested }: DueDelivery, isProbe: boolean): boolean {
    const now = this.#parts.clock.now();
    if (this.#isOver(now) || this.#hasFailed || this.#disabledFor || this.#becomesSlow()) return false;
    const isPaused = (this.#health.pausedUntil ?? 0) > now;
    return isRequested || (!isPaused && (isProbe || !isProbing(this.#health)));
  }

  #isOver(now: number): boolean {
    return now >= Math.min(this.#turn.latest, this.#endsAt ?? Number.POSITIVE_INFINITY);
  }

  /** Returns whether the webhook continues at the slow speed. Running attempts finish here. */
  #becomesSlow(): boolean {
    if (this.#turn.speed === 'slow') return false;
    const before = this.#parts.wallClock.now() - slowMs;
    if (this.#underWay.values().some(({ since }) => since < before)) this.#isSlow = true;
    return this.#isOverShare || (this.#isSlow ?? this.#health.isSlow ?? false);
  }

  async #attempt(delivery: DueDelivery): Promise<void> {
    const { wallClock } = this.#parts;
    const { eventId: id, body } = delivery;
    const secrets = signingSecrets(this.#lease.webhook, this.#parts.clock.now()).map(({ value }) => value);
    const headers = signedHeaders({ id, body }, Math.floor(wallClock.now() / 1000), secrets);
    const attempt = { since: wallClock.now() };
    this.#underWay.add(attempt);
    const result = await this.#receiver.send(headers, body);
    this.#underWay.delete(attempt);
    this.#isSlow = this.#isSlow === true || result.durationMs > slowMs;
    await this.#record(delivery, result);
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

const scheduleMs = [
  5 * secondMs,
  5 * minuteMs,
  30 * minuteMs,
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hourMs),
];

/** Lengthens waits by up to this share, so that simultaneous failures are not retried simultaneously. */
const jitter = 0.1;

const maxRetryAfterMs = dayMs;

/** Consecutive failures after which a webhook receives one delivery at a time. */
const failuresUntilProbing = 3;
const pauseMs = { first: 5 * secondMs, max: 5 * minuteMs } as const;

/** A webhook is disabled after failing continuously for this long. */
const disabledAfterMs = 5 * dayMs;

export const isSuccess = ({ status = 0 }: AttemptResult): boolean => status >= 200 && status < 300;

/** Tells the sender to stop permanently (RFC 9110, 15.5.11). */
const isGone = ({ status }: AttemptResult): boolean => status === 410;

export function nextAttempt(tries: number, result: AttemptResult, now: number, random: Random): number | undefined {
  const wait = scheduleMs[tries - 1];
  if (wait === undefined) return undefined;
  return now + Math.max(Math.round(wait * (1 + jitter * fraction(random))), retryAfter(result));
}

/** Pauses a failing webhook. Concurrent attempts started before the pause do not extend it. */
export function healthAfterFailure(before: Health, result: AttemptResult, now: number): Health {
  const { failures, failingSince, pausedUntil = 0 } = before;
  const isConcurrentFailure = isProbing(before) && pausedUntil > now;
  const count = isConcurrentFailure ? failures : failures + 1;
  const growing = doublingPause(count - failuresUntilProbing + 1, pauseMs);
  const pause = Math.max(count < failuresUntilProbing ? 0 : growing, retryAfter(result));
  return {
    failures: count,
    failingSince: failingSince ?? now,
    ...((pause > 0 || pausedUntil > now) && { pausedUntil: Math.max(pausedUntil, now + pause) }),
  };
}

export const hasFailedForLong = ({ failingSince }: Health, now: number): boolean =>
  failingSince !== undefined && now >= failingSince + disabledAfterMs;

export const isProbing = ({ failures }: Health): boolean => failures >= failuresUntilProbing;

const retryAfter = ({ retryAfterMs = 0 }: AttemptResult): number =>
  Math.min(Math.max(0, retryAfterMs), maxRetryAfterMs);

function fraction(random: Random): number {
  const [high = 0, low = 0] = random.bytes(2);
  return (high * 256 + low) / 65_536;
}
