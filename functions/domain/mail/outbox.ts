import { normalizedEmail, type OutgoingMail } from '../accounts/account.ts';
import type { Clock } from '../shared/ports.ts';
import type { SuppressionStore } from './suppression.ts';

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
