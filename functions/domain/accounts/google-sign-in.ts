import type { Language } from '#contract/accounts/preferences.ts';
import type { Plans } from '#contract/billing/plans.ts';
import { openMeter } from '../billing/grants.ts';
import { newAccountId } from '../shared/credential.ts';
import type { Clock, Random } from '../shared/ports.ts';
import { ServiceError } from '../shared/service-error.ts';
import { type Account, type AccountStore, normalizedEmail } from './account.ts';
import { acceptedNow } from './terms.ts';

/** The claims of a verified identity token. Times in epoch ms. `digest` identifies the token. */
export interface VerifiedIdentity extends ConsumedToken {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string;
  readonly name: string;
  readonly issuedAt: number;
}

/** `language`: of a new account. */
type SigningIn = VerifiedIdentity & Pick<Account, 'language'>;

export function identityOf({ issuer, subject }: VerifiedIdentity): string {
  return `${issuer}#${subject}`;
}

/** Verifies tokens of the identity provider. `now` in epoch ms. Throws INVALID_IDENTITY_TOKEN. */
export interface IdentityTokens {
  verify(token: string, now: number): Promise<VerifiedIdentity>;
}

/** After one conflict the identity is known; only a second one with another identity needs a third attempt. */
const maxTries = 3;

/** Signs in with the identity provider (docs/accounts.md#google). */
export function googleSignInService(
  accounts: AccountStore,
  identities: IdentityStore,
  tokens: IdentityTokens,
  plans: Plans,
  clock: Clock,
  random: Random,
) {
  /** Retries after a conflict with another token of the same person, because the identity is then known. */
  async function signIn(token: string, session: Account | undefined, language?: Language): Promise<Account> {
    const verified = { ...(await tokens.verify(token, clock.now())), ...(language && { language }) };
    const identity = identityOf(verified);
    for (let tries = 0; tries < maxTries; tries++) {
      const known = await identities.find(identity);
      if (known) return (await identities.consume(verified)) ? known : refuse();
      const account = await claim(verified, identity, session);
      if (account) return account;
    }
    return refuse();
  }

  async function claim(verified: SigningIn, identity: string, session: Account | undefined) {
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

  async function create(verified: SigningIn, identity: string): Promise<Account | undefined> {
    const now = clock.now();
    const id = newAccountId(random);
    const { email, name, language, ...proof } = verified;
    const account: Account = {
      id,
      email,
      name,
      role: 'viewer',
      createdAt: now,
      confirmedAt: now,
      identities: [identity],
      ...(language && { language }),
      ...acceptedNow(now),
    };
    const meter = openMeter(id, Math.floor(now / 1000), plans, await accounts.freeFrom(account));
    const isNew = await accounts.create({ account, meter, proof }, now);
    return isNew ? account : undefined;
  }

  async function takeOver(holder: Account, identity: string, verified: SigningIn): Promise<Account | undefined> {
    const isTaken = await identities.takeOver(holder, identity, verified, verified, clock.now());
    return isTaken ? accounts.find(holder.id) : undefined;
  }

  async function link(session: Account, identity: string, proof: ConsumedToken): Promise<Account | undefined> {
    const isLinked = await identities.link(session, identity, proof, clock.now());
    return isLinked ? accounts.find(session.id) : undefined;
  }

  return { signIn };
}

function refuse(): never {
  throw new ServiceError(
    'INVALID_IDENTITY_TOKEN',
    'The identity token was already used. Sign in with the provider again.',
  );
}

/** A single-use identity token. Its digest is stored until it expires. `expiresAt` in epoch ms. */
export interface ConsumedToken {
  readonly digest: string;
  readonly expiresAt: number;
}

export interface IdentityStore {
  find(identity: string): Promise<Account | undefined>;
  consume(proof: ConsumedToken): Promise<boolean>;
  /**
   * Links the identity and ends sessions, devices, reset links and pending changes of address. Returns false if the
   * identity or the token is already used, or the sessions were ended since `account` was read.
   */
  link(account: Account, identity: string, proof: ConsumedToken, now: number): Promise<boolean>;
  /**
   * Transfers an unconfirmed account to the owner of the identity, so that a person who registered with someone else's
   * address loses access. Returns false if the account has been confirmed since it was read.
   */
  takeOver(
    account: Account,
    identity: string,
    proof: ConsumedToken,
    person: Pick<Account, 'name' | 'language'>,
    now: number,
  ): Promise<boolean>;
}
