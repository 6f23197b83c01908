import type { MailState } from '#contract/operators/operators.ts';
import { normalizedEmail, type OutgoingMail } from '../accounts/account.ts';
import type { Clock } from '../shared/ports.ts';

/** What became of a mail: 'rejected' by SES for good, 'suppressed' because of what its address did to an earlier one. */
export const mailOutcomes = ['sent', 'rejected', 'suppressed'] as const;
export type MailOutcome = (typeof mailOutcomes)[number];

export interface OutboxStore {
  /** The mail if it still waits. */
  waiting(id: string): Promise<OutgoingMail | undefined>;
  close(id: string, outcome: MailOutcome, at: number): Promise<void>;
}

export interface Mailer {
  /** 'rejected' when no retry can help; throws when one may. */
  send(mail: OutgoingMail): Promise<'sent' | 'rejected'>;
}

export interface SendingParts {
  readonly store: OutboxStore;
  readonly suppressions: SuppressionStore;
  readonly mailer: Mailer;
  readonly clock: Clock;
}

/** Sends a mail that waits. Repeating it sends nothing twice, unless the process dies between sending and noting it. */
export async function sendWaiting(parts: SendingParts, id: string): Promise<MailOutcome | 'done before'> {
  const { store, suppressions, mailer, clock } = parts;
  const mail = await store.waiting(id);
  if (!mail) return 'done before';
  const isSuppressed = await suppressions.has(normalizedEmail(mail.to));
  const outcome = isSuppressed ? 'suppressed' : await mailer.send(mail);
  await store.close(id, outcome, clock.now());
  return outcome;
}

/** Its server refuses the address for good, or its owner called one of our mails spam. */
export type SuppressionReason = 'bounce' | 'complaint';

/** Addresses that no mail goes to any more, in lower case. */
export interface SuppressionStore {
  /** False, and nothing changes, for an address that is there already. `at` in epoch ms. */
  add(address: string, reason: SuppressionReason, at: number): Promise<boolean>;
  has(address: string): Promise<boolean>;
  find(address: string): Promise<{ readonly reason: SuppressionReason; readonly at: number } | undefined>;
}

/** Gives how many of the addresses are newly suppressed; repeating it changes nothing. */
export async function suppress(
  store: SuppressionStore,
  clock: Clock,
  addresses: readonly string[],
  reason: SuppressionReason,
): Promise<number> {
  const now = clock.now();
  const unique = new Set(addresses.map(normalizedEmail));
  const added = await Promise.all([...unique].map((address) => store.add(address, reason, now)));
  return added.filter(Boolean).length;
}

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
