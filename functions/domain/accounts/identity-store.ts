import type { Account } from './account.ts';

/** An identity token that may be used once: until it expires, its digest is kept. `expiresAt` in epoch ms. */
export interface ConsumedToken {
  readonly digest: string;
  readonly expiresAt: number;
}

/** Identities of the identity provider, `issuer#subject`, each claimed by one account. */
export interface IdentityStore {
  find(identity: string): Promise<Account | undefined>;
  /** False when the token was used before. */
  consume(proof: ConsumedToken): Promise<boolean>;
  /**
   * Links the identity to a confirmed account and ends its sessions, devices, reset links and pending change of
   * address. Returns false if the identity or the token is already used, or if the account's sessions were ended since
   * `account` was read.
   */
  link(account: Account, identity: string, proof: ConsumedToken, now: number): Promise<boolean>;
  /**
   * Transfers an unconfirmed account to the owner of the identity, with the owner's name. Removes the password,
   * sessions, reset links and confirmation token, so that a person who registered with a foreign address loses access.
   * Returns false if the account has been confirmed since it was read.
   */
  takeOver(account: Account, identity: string, proof: ConsumedToken, name: string, now: number): Promise<boolean>;
}
