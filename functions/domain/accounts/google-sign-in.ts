import type { Plans } from '#contract/billing/plans.ts';
import { openMeter } from '../meter/credits/billing.ts';
import { newAccountId } from '../shared/credential.ts';
import type { Clock, Random } from '../shared/ports.ts';
import { ServiceError } from '../shared/service-error.ts';
import { type Account, type AccountStore, normalizedEmail } from './account.ts';

/** The claims of a verified identity token. Times in epoch ms; `digest` names the token. */
export interface VerifiedIdentity extends ConsumedToken {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string;
  readonly name: string;
  readonly issuedAt: number;
}

/** The identity as accounts list it. */
export function identityOf({ issuer, subject }: VerifiedIdentity): string {
  return `${issuer}#${subject}`;
}

/** The identity provider. `now` in epoch ms. Throws ServiceError INVALID_IDENTITY_TOKEN. */
export interface IdentityTokens {
  verify(token: string, now: number): Promise<VerifiedIdentity>;
}

/** A lost race makes the identity known; only a second one, with another identity of the address, needs a third try. */
const maxTries = 3;

/** Sign-in with the identity provider (docs/accounts.md#google). */
export function googleSignInService(
  accounts: AccountStore,
  identities: IdentityStore,
  tokens: IdentityTokens,
  plans: Plans,
  clock: Clock,
  random: Random,
) {
  /**
   * The account of the token's identity: known, new, linked to the account of `session`, or taken over. Losing a race
   * against another token of the same person is no refusal: the identity is then known.
   */
  async function signIn(token: string, session: Account | undefined): Promise<Account> {
    const verified = await tokens.verify(token, clock.now());
    const identity = identityOf(verified);
    for (let tries = 0; tries < maxTries; tries++) {
      const known = await identities.find(identity);
      if (known) return (await identities.consume(verified)) ? known : refuse();
      const account = await claim(verified, identity, session);
      if (account) return account;
    }
    return refuse();
  }

  /** The account that the identity belongs to from now on; undefined when the token or the identity is taken. */
  async function claim(verified: VerifiedIdentity, identity: string, session: Account | undefined) {
    const email = normalizedEmail(verified.email);
    const holder = await accounts.findByEmail(email);
    if (!holder) return create({ ...verified, email }, identity);
    if (holder.identities?.includes(identity)) return undefined;
    if (holder.confirmedAt === undefined) return takeOver(holder, identity, verified);
    if (session?.id === holder.id) return link(session, identity, verified);
    throw new ServiceError(
      'IDENTITY_NOT_LINKED',
      'An account with this email address already exists. Sign in with its password, then send the token again.',
    );
  }

  async function create(verified: VerifiedIdentity, identity: string): Promise<Account | undefined> {
    const now = clock.now();
    const id = newAccountId(random);
    const { email, name } = verified;
    const account: Account = {
      id,
      email,
      name,
      role: 'viewer',
      createdAt: now,
      confirmedAt: now,
      identities: [identity],
    };
    const meter = openMeter(id, Math.floor(now / 1000), plans, await accounts.freeFrom(account));
    const isNew = await accounts.create({ account, meter, proof: verified }, now);
    return isNew ? account : undefined;
  }

  async function takeOver(holder: Account, identity: string, verified: VerifiedIdentity): Promise<Account | undefined> {
    const isTaken = await identities.takeOver(holder, identity, verified, verified.name, clock.now());
    return isTaken ? accounts.find(holder.id) : undefined;
  }

  /** Ends every session, including the current one. The caller opens another. */
  async function link(session: Account, identity: string, proof: ConsumedToken): Promise<Account | undefined> {
    const isLinked = await identities.link(session, identity, proof, clock.now());
    return isLinked ? accounts.find(session.id) : undefined;
  }

  return { signIn };
}

/** The token was used before. */
function refuse(): never {
  throw new ServiceError(
    'INVALID_IDENTITY_TOKEN',
    'The identity token was already used. Sign in with the provider again.',
  );
}

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
