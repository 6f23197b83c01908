import type { OutgoingMail } from './accounts/account.ts';
import type { Clock } from './ports.ts';

export interface OutboxStore {
  /** The mail if it still waits. */
  waiting(id: string): Promise<OutgoingMail | undefined>;
  close(id: string, outcome: 'sent' | 'rejected', at: number): Promise<void>;
}

export interface Mailer {
  /** 'rejected' when no retry can help; throws when one may. */
  send(mail: OutgoingMail): Promise<'sent' | 'rejected'>;
}

/** Sends a mail that waits. Repeating it sends nothing twice, unless the process dies between sending and noting it. */
export async function sendWaiting(
  store: OutboxStore,
  mailer: Mailer,
  clock: Clock,
  id: string,
): Promise<'sent' | 'rejected' | 'done before'> {
  const mail = await store.waiting(id);
  if (!mail) return 'done before';
  const outcome = await mailer.send(mail);
  await store.close(id, outcome, clock.now());
  return outcome;
}
