import type { OutgoingMail, StoredToken } from './account.ts';

/** Password hashes and reset tokens. Moments in epoch ms. */
export interface PasswordStore {
  /** The same password, hashed at today's cost; nothing happens when it was changed meanwhile. */
  rehash(accountId: number, before: string, passwordHash: string): Promise<void>;
  /** Notes that somebody asked for a reset link; a job does the rest, so the answer tells nothing by its time. */
  requestReset(requestId: string, email: string, now: number): Promise<void>;
  /** The address of a request that is still open. */
  findRequest(requestId: string): Promise<string | undefined>;
  /** Closes a request; with a token, which replaces earlier ones, and its mail when there is such an account. */
  closeRequest(
    requestId: string,
    reset: { accountId: number; token: StoredToken; mail: OutgoingMail } | undefined,
    now: number,
  ): Promise<void>;
  /** Whether this is the newest reset token and has not expired. */
  isResetToken(accountId: number, digest: string, now: number): Promise<boolean>;
  /** Uses up the reset token, ends all sessions and sends the notice; false when the token is not good any more. */
  reset(accountId: number, digest: string, passwordHash: string, notice: OutgoingMail, now: number): Promise<boolean>;
  /** Replaces the hash that was checked, ends all sessions opened before now; false when it has changed meanwhile. */
  change(
    accountId: number,
    before: string | undefined,
    passwordHash: string,
    notice: OutgoingMail,
    now: number,
  ): Promise<boolean>;
}
