import type { Account } from './account.ts';

/** A signed-in browser. `digest` is its id, not its secret; moments in epoch ms. */
export interface Session {
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
