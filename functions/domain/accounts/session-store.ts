import type { Account } from './account.ts';

/** A signed-in browser. `digest` is its id, not its secret; moments in epoch ms. */
export interface Session {
  readonly digest: string;
  readonly createdAt: number;
  readonly lastSeenAt: number;
  readonly expiresAt: number;
}

export interface SessionStore {
  /** False when all sessions of the account were ended since it was read. */
  open(account: Account, session: Session): Promise<boolean>;
  find(accountId: number, digest: string): Promise<{ session: Session; account: Account } | undefined>;
  list(accountId: number): Promise<Session[]>;
  touch(accountId: number, digest: string, now: number): Promise<void>;
  end(accountId: number, digest: string): Promise<void>;
}
