import type { Account, EmailChange, EmailChangeOutcome, OutgoingMail } from '../account.ts';

/** Which of the two addresses a token went to. */
export type Side = 'old' | 'new';

/** What comes about with a changed address, all or nothing. */
export interface Completion {
  readonly notices: readonly OutgoingMail[];
  /** When whoever registers with the former address may have a free month, epoch seconds. */
  readonly freeFrom: number | undefined;
}

/**
 * Changes of email addresses, in the row of their account. Each write is conditional on the change that was read, on its waiting
 * still, and on the account's sessions and address being those that it was requested with. Moments in epoch ms.
 */
export interface EmailChangeStore {
  /** In place of one that waits; false when the account has changed meanwhile. */
  request(account: Account, change: EmailChange, mails: readonly OutgoingMail[]): Promise<boolean>;
  /** Notes that one side agrees. The account as it is then; undefined when the change does not wait any more. */
  confirm(account: Account, side: Side, now: number): Promise<Account | undefined>;
  /** False when the change does not wait any more. */
  end(account: Account, outcome: EmailChangeOutcome): Promise<boolean>;
  /** 'taken': another account has the address. 'stale': the change does not wait any more. */
  complete(account: Account, completion: Completion, now: number): Promise<'changed' | 'taken' | 'stale'>;
}
