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
   * Gives a confirmed account the identity, and ends its sessions, devices, reset links and pending change of address.
   * False if the identity or the token is taken, or the account's sessions were ended since `account` was read.
   */
  link(account: Account, identity: string, proof: ConsumedToken, now: number): Promise<boolean>;
  /**
   * Gives an account that nobody confirmed to the identity's owner: password, sessions, reset links and confirmation token go, so
   * that whoever registered with a foreign address keeps no way in, and the name becomes the owner's. False when it was confirmed meanwhile.
   */
  takeOver(account: Account, identity: string, proof: ConsumedToken, name: string, now: number): Promise<boolean>;
}
