import type { Account } from '../account.ts';

/** Where a session was opened, as far as it is known: names of our own tables, and nothing else that a caller sent. */
export interface SessionOrigin {
  /** Such as `Firefox`; a program is one too. */
  readonly browser: string | null;
  /** Such as `Windows`. */
  readonly system: string | null;
  /** ISO 3166-1 alpha-2. */
  readonly country: string | null;
  /** On the machine that the service runs on. */
  readonly isLocal: boolean;
}

/** A signed-in browser. `digest` is its id, not its secret; moments in epoch ms. */
export interface Session extends SessionOrigin {
  readonly digest: string;
  readonly createdAt: number;
  readonly lastSeenAt: number;
  readonly expiresAt: number;
  /** The account's when the session was opened; once the account has another, the session has ended. */
  readonly sessionsValidFrom: number;
}

export interface SessionStore {
  open(accountId: number, session: Session): Promise<void>;
  find(accountId: number, digest: string): Promise<{ row: Session; account: Account } | undefined>;
  list(accountId: number): Promise<Session[]>;
  touch(accountId: number, digest: string, now: number): Promise<void>;
  end(accountId: number, digest: string): Promise<void>;
}
