import type { AttemptResult, Delivery, DeliveryStatus, DueDelivery } from './delivery.ts';
import type { DisabledReason, Health, Lane, Webhook, WebhookRef } from './webhook.ts';

/** A webhook that one worker has to itself. */
export interface Lease {
  readonly webhook: Webhook;
  /** The same for all webhooks that a worker looks at together. */
  readonly token: string;
  readonly lane: Lane;
  /** End of the lease (epoch ms) if the worker crashes. */
  readonly until: number;
  /** Changes when something was put into the webhook's queue. */
  readonly wake: string;
}

/** What becomes of a delivery with an attempt: `nextAttemptAt` while it is pending. */
export interface RecordedAttempt {
  readonly delivery: DueDelivery;
  readonly result: AttemptResult;
  readonly status: DeliveryStatus;
  readonly nextAttemptAt?: number | undefined;
}

/** Deliveries of webhooks: the log, and for each webhook a queue of those that are pending. Moments in epoch ms. */
export interface DeliveryStore {
  /**
   * Writes deliveries of one event together; false when they were there. Those of an event that happens `once` under a name also when that
   * has happened to the account, or a hundred such in the day.
   */
  add(deliveries: readonly Delivery[], once?: string): Promise<boolean>;
  /** Newest first, before `cursor`. */
  page(
    ref: WebhookRef,
    limit: number,
    cursor: string | undefined,
    now: number,
  ): Promise<{ deliveries: Delivery[]; next: string | null }>;
  find(ref: WebhookRef, id: string, now: number): Promise<Delivery | undefined>;
  /** Puts a delivery at the head of its webhook's queue, whatever its status. */
  requeue(delivery: Delivery, now: number): Promise<Delivery>;
  /**
   * Notes that a webhook has something to send at a moment; `isRequested` by its owner, so it is sent though the webhook is paused. False when
   * nobody has to be notified: a worker has the webhook and will see it, or was notified just now, or the webhook is not active.
   */
  wake(ref: WebhookRef, at: number, now: number, isRequested?: boolean): Promise<boolean>;
  /** The webhook, for one worker alone; undefined where another has it, it is paused, or not active. */
  acquire(ref: WebhookRef, worker: Pick<Lease, 'token' | 'lane' | 'until'>, now: number): Promise<Lease | undefined>;
  /** Counts the workers of the lease's lane that began to work for its account before its own. */
  workersBefore(lease: Lease, now: number): Promise<number>;
  /** The next of its queue that are due, at most so many, in order; first those that were requested. */
  due(ref: WebhookRef, now: number, limit: number): Promise<DueDelivery[]>;
  /** Unless the delivery was put into the queue again meanwhile. */
  record(attempt: RecordedAttempt): Promise<void>;
  /**
   * Ends the lease and gives when the webhook is due next. Not where something was put into its queue, or it was changed, since the lease was
   * given: then gives the lease as it is now.
   */
  release(
    lease: Lease,
    health: Health,
    now: number,
  ): Promise<{ readonly dueAt: number | undefined } | { readonly renewed: Lease }>;
  /** Ends the lease of a webhook that may not be sent anything: it is not looked at until the next event. */
  park(lease: Lease): Promise<void>;
  /** Ends the lease and disables the webhook, with a mail to its owner; not where that has changed it meanwhile. */
  disable(lease: Lease, reason: DisabledReason, now: number): Promise<void>;
  /** Webhooks that have something to send by `now`. */
  webhooksDue(now: number): AsyncGenerator<WebhookRef>;
  /**
   * The lane to which the sweep must send a message for a due webhook, because none is in a queue, or it was lost. Returns undefined
   * to all callers but one.
   */
  takeDue(ref: WebhookRef, now: number): Promise<Lane | undefined>;
}
