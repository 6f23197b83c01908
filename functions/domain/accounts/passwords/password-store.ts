import type { Account, OutgoingMail, StoredToken } from '../account.ts';

/**
 * A request for a reset link. `isFurther`: the limit of links that anyone can request was reached. `requestedAt` in
 * epoch ms.
 */
export interface ResetRequest {
  readonly email: string;
  readonly requestedAt: number;
  readonly isFurther: boolean;
}

/** A reset token and its mail. A further one ends none that live, any other one ends them all. */
export interface IssuedReset {
  readonly account: Account;
  readonly token: StoredToken;
  readonly isFurther: boolean;
  readonly mail: OutgoingMail;
}

/** What an account becomes by a reset. `name` replaces one that a stranger may have chosen. */
export interface ResetAccount {
  readonly passwordHash: string;
  readonly name?: string;
}

/** Password hashes and reset tokens. Moments in epoch ms. */
export interface PasswordStore {
  /** The same password, hashed at today's cost; nothing happens when it was changed meanwhile. */
  rehash(accountId: number, before: string, passwordHash: string): Promise<void>;
  /** Notes that somebody requested a reset link; a job does the rest, so the response reveals nothing by its time. */
  requestReset(requestId: string, request: ResetRequest): Promise<void>;
  /** The request if it is still open. */
  findRequest(requestId: string): Promise<ResetRequest | undefined>;
  /**
   * Closes a request and stores the link issued for it. Returns false if the request is already closed, or the account
   * has changed since it was read.
   */
  closeRequest(requestId: string, reset: IssuedReset | undefined, now: number): Promise<boolean>;
  /** Whether this is a reset token that was not used, ended or expired. */
  isResetToken(accountId: number, digest: string, now: number): Promise<boolean>;
  /** Uses up the reset token and all others, ends all sessions and sends the notice; false when the token is not good any more. */
  reset(accountId: number, digest: string, to: ResetAccount, notice: OutgoingMail, now: number): Promise<boolean>;
  /**
   * Replaces the hash `before` and ends all earlier sessions and reset links. Returns false if `before` is no longer
   * the stored hash.
   */
  change(
    accountId: number,
    before: string | undefined,
    passwordHash: string,
    notice: OutgoingMail,
    now: number,
  ): Promise<boolean>;
}
