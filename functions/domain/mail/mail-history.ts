import type { MailState } from '#contract/operators/mails.ts';

/** What is listed of a mail: neither its text nor its links. Moments in epoch ms. */
export interface MailNote {
  readonly subject: string;
  readonly createdAt: number;
  readonly state: MailState;
  readonly closedAt?: number;
}

/** Mails about an account. */
export interface MailHistory {
  /** The newest `limit` of those that are kept at `now` (epoch ms), newest first. */
  recent(accountId: number, limit: number, now: number): Promise<readonly MailNote[]>;
}
