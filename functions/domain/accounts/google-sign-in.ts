import { newAccountId } from '../ids.ts';
import { openMeter } from '../meter/billing.ts';
import type { Clock, Random } from '../ports.ts';
import { ServiceError } from '../service-error.ts';
import { type Account, normalizedEmail } from './account.ts';
import type { AccountStore } from './account-store.ts';
import type { ConsumedToken, IdentityStore } from './identity-store.ts';

/** What a verified identity token says. `expiresAt` in epoch ms, `digest` names the token. */
export interface VerifiedIdentity extends ConsumedToken {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string;
  readonly name: string;
}

/** The identity provider. `now` in epoch ms. Throws ServiceError INVALID_IDENTITY_TOKEN. */
export interface IdentityTokens {
  verify(token: string, now: number): Promise<VerifiedIdentity>;
}

/** Sign-in with the identity provider (design section 3, "Google", and "Google meets a password account"). */
export function googleSignInService(
  accounts: AccountStore,
  identities: IdentityStore,
  tokens: IdentityTokens,
  clock: Clock,
  random: Random,
) {
  /** The account of the token's identity: known, new, linked to the account of `session`, or taken over. */
  async function signIn(token: string, session: Account | undefined): Promise<Account> {
    const verified = await tokens.verify(token, clock.now());
    const identity = `${verified.issuer}#${verified.subject}`;
    const known = await identities.find(identity);
    if (known) return (await identities.consume(verified)) ? known : refuse();
    const email = normalizedEmail(verified.email);
    const holder = await accounts.findByEmail(email);
    if (!holder) return create({ ...verified, email }, identity);
    if (holder.confirmedAt === undefined) return takeOver(holder, identity, verified);
    if (session?.id === holder.id) return link(holder, identity, verified);
    throw new ServiceError(
      'IDENTITY_NOT_LINKED',
      'An account with this e-mail address exists; sign in with its password, then send the token again.',
    );
  }

  async function create(verified: VerifiedIdentity, identity: string): Promise<Account> {
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
    const isNew = await accounts.create(
      { account, meter: openMeter(id, Math.floor(now / 1000)), proof: verified },
      now,
    );
    return isNew ? account : refuse();
  }

  async function takeOver(holder: Account, identity: string, proof: ConsumedToken): Promise<Account> {
    return (await identities.takeOver(holder, identity, proof, clock.now())) ? again(holder) : refuse();
  }

  async function link(holder: Account, identity: string, proof: ConsumedToken): Promise<Account> {
    return (await identities.link(holder, identity, proof)) ? holder : refuse();
  }

  async function again({ id }: Account): Promise<Account> {
    return (await accounts.find(id)) ?? refuse();
  }

  return { signIn };
}

/** The token was used before, or another request with it won. */
function refuse(): never {
  throw new ServiceError(
    'INVALID_IDENTITY_TOKEN',
    'The identity token was used before; sign in with the provider again.',
  );
}
