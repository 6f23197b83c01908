import type { MailState } from '#contract/operators/operators.ts';
import { normalizedEmail } from '../accounts/account.ts';
import type { Clock, OutgoingMail } from '../shared/ports.ts';

/** 'rejected': permanently refused by SES. 'suppressed': not sent, because of an earlier bounce or complaint. */
export const mailOutcomes = ['sent', 'rejected', 'suppressed'] as const;
export type MailOutcome = (typeof mailOutcomes)[number];

export interface OutboxStore {
  waiting(id: string): Promise<OutgoingMail | undefined>;
  /** `subject`: as sent, if it differs from the stored one. */
  close(id: string, outcome: MailOutcome, at: number, subject?: string): Promise<void>;
}

export interface Mailer {
  /** Returns 'rejected' if a retry cannot help. Throws if one may. */
  send(mail: OutgoingMail): Promise<'sent' | 'rejected'>;
}

export interface SendingParts {
  readonly store: OutboxStore;
  readonly suppressions: SuppressionStore;
  readonly mailer: Mailer;
  readonly clock: Clock;
}

/** Sends a pending email. Idempotent, unless the process crashes between sending and recording it. */
export async function sendWaiting(parts: SendingParts, id: string): Promise<MailOutcome | 'done before'> {
  const { store, suppressions, mailer, clock } = parts;
  const mail = await store.waiting(id);
  if (!mail) return 'done before';
  const isSuppressed = await suppressions.has(normalizedEmail(mail.to));
  const translation = isSuppressed ? undefined : await translationOf(mail);
  const outcome = isSuppressed ? 'suppressed' : await mailer.send({ ...mail, ...translation });
  await store.close(id, outcome, clock.now(), translation?.subject);
  return outcome;
}

/** Loaded for such an email only. Undefined: it is sent in English. */
async function translationOf({ letter }: OutgoingMail) {
  if (letter === undefined) return undefined;
  const { translated } = await import('./translation.ts');
  return translated(JSON.parse(letter));
}

export type SuppressionReason = 'bounce' | 'complaint';

/** Addresses that must not receive emails, in lower case. */
export interface SuppressionStore {
  /** Returns false, without changes, if the address exists. `at` in epoch ms. */
  add(address: string, reason: SuppressionReason, at: number): Promise<boolean>;
  has(address: string): Promise<boolean>;
  find(address: string): Promise<{ readonly reason: SuppressionReason; readonly at: number } | undefined>;
  /** Returns whether the address was suppressed. */
  lift(address: string): Promise<boolean>;
}

/** Records that a sent email bounced or was reported as spam. `at`: epoch ms. */
export type NoteFeedback = (mailId: string, reason: SuppressionReason, at: number) => Promise<void>;

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

export interface MailNote {
  readonly subject: string;
  readonly createdAt: number;
  readonly state: MailState;
  readonly closedAt?: number;
}

/** State of a sent email after a bounce or a complaint. */
export const feedbackStates = { bounce: 'bounced', complaint: 'complained' } as const satisfies Record<
  SuppressionReason,
  MailState
>;

export interface MailHistory {
  recent(accountId: number, limit: number, now: number): Promise<readonly MailNote[]>;
}
