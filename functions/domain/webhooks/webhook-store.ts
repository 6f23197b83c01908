import type { Webhook, WebhookRef } from './webhook.ts';

/** The webhooks of accounts. The account's meter names them, so that its changes are looked at: both are written together. */
export interface WebhookStore {
  /** Newest first. */
  list(accountId: number): Promise<Webhook[]>;
  find(ref: WebhookRef): Promise<Webhook | undefined>;
  /** False when the account has as many as it may. */
  create(webhook: Webhook): Promise<boolean>;
  /** `after.revision` is one above the stored one; false when that has changed meanwhile, or is gone. Health begins again. */
  change(after: Webhook): Promise<boolean>;
  /** False when there is none. Its log is gone with it. */
  remove(ref: WebhookRef, now: number): Promise<boolean>;
}
