import { hash } from 'node:crypto';
import { offer } from '#contract/offer/current-offer.ts';
import { limits } from '#contract/shared/limits.ts';
import { iso, minuteMs } from '#contract/shared/time.ts';
import type { Clock, OutgoingMail, Random } from '../shared/ports.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { Account, AccountSettings, AccountStore } from './account.ts';
import { changed } from './second-factor.ts';
import type { SecurityNotice } from './security-mails.ts';
import { passkeyChallengesFromNetwork, type Throttle } from './throttle.ts';

const publicKeyType = 'public-key' as const;
const challengeBytes = 32;
const challengeLifetimeMs = 5 * minuteMs;

/** A public-key credential of an account, which signs in without a password. Times in epoch ms. */
export interface Passkey {
  /** Hash of the credential's id. */
  readonly digest: string;
  readonly name: string;
  /** Id of the credential, in base64url. */
  readonly credentialId: string;
  readonly publicKey: Uint8Array;
  readonly signCount: number;
  readonly transports: readonly string[];
  readonly createdAt: number;
  readonly lastUsedAt?: number;
}

/** The response of an authenticator, in the JSON form of Web Authentication Level 3. Binary values in base64url. */
export interface AuthenticatorResponse {
  readonly id: string;
  readonly rawId: string;
  readonly type: 'public-key';
  readonly response: {
    readonly clientDataJSON: string;
    readonly attestationObject?: string | undefined;
    readonly authenticatorData?: string | undefined;
    readonly signature?: string | undefined;
    readonly userHandle?: string | undefined;
    readonly transports?: readonly string[] | undefined;
  };
}

type NewPasskey = Pick<Passkey, 'credentialId' | 'publicKey' | 'signCount' | 'transports'>;

/** Verifies responses, including the verification of the user. Throws if a response is invalid. */
export interface WebAuthn {
  verifyCreation(response: AuthenticatorResponse, challenge: string): Promise<NewPasskey>;
  /** Returns the new signature counter. Throws if it does not rise. */
  verifySignIn(response: AuthenticatorResponse, challenge: string, passkey: Passkey): Promise<number>;
}

/** The service as browsers and authenticators know it. A page at an address of this machine must use its name. */
export function relyingParty(publicOrigin: string): { readonly id: string; readonly origin: string } {
  const url = new URL(publicOrigin);
  if (/^(?:127\.|\[::1\]$)/.test(url.hostname)) url.hostname = 'localhost';
  return { id: url.hostname, origin: url.origin };
}

/** Algorithms of keys (COSE): ES256, and RS256 for Windows Hello. */
export const keyAlgorithms = [-7, -257];

/** The passkeys of an account (docs/accounts.md#passkeys), and the options of both ceremonies. */
export function passkeyService(
  store: PasskeyStore,
  throttle: Throttle,
  noticeTo: SecurityNotice,
  clock: Clock,
  random: Random,
  { publicOrigin }: Pick<AccountSettings, 'publicOrigin'>,
) {
  const required = 'required' as const;
  const common = { timeout: challengeLifetimeMs };

  async function creationOptions({ id, email, name, sessionsValidFrom = 0 }: Account) {
    const known = await store.list(id);
    if (known.length >= limits.passkeys) throw tooMany();
    return {
      ...common,
      challenge: await newChallenge({ accountId: id, sessionsValidFrom }),
      rp: { id: relyingParty(publicOrigin).id, name: offer.product.name },
      user: { id: handleOf(id), name: email, displayName: name },
      pubKeyCredParams: keyAlgorithms.map((alg) => ({ type: publicKeyType, alg })),
      excludeCredentials: known.map(({ credentialId, transports }) => ({
        id: credentialId,
        type: publicKeyType,
        transports: [...transports],
      })),
      authenticatorSelection: { residentKey: required, requireResidentKey: true, userVerification: required },
      attestation: 'none' as const,
    };
  }

  /** Available to everyone, so the network is limited. */
  async function requestOptions(network: string | undefined) {
    if (network) await throttle.enforce(passkeyChallengesFromNetwork, network);
    return {
      ...common,
      challenge: await newChallenge(),
      rpId: relyingParty(publicOrigin).id,
      userVerification: required,
    };
  }

  async function newChallenge(bound: Pick<Challenge, 'accountId' | 'sessionsValidFrom'> = {}): Promise<string> {
    const challenge = Buffer.from(random.bytes(challengeBytes)).toString('base64url');
    const expiresAt = clock.now() + challengeLifetimeMs;
    await store.openChallenge({ digest: digestOf(challenge), expiresAt, ...bound });
    return challenge;
  }

  async function list(account: Account) {
    const all = await store.list(account.id);
    return { items: all.toSorted((one, other) => other.createdAt - one.createdAt).map(viewOf), nextCursor: null };
  }

  /** Ends all sessions; the caller opens another. */
  async function remove(account: Account, id: string): Promise<void> {
    const result = await store.remove(account, id, noticeTo(account, 'passkey-removed'), clock.now());
    if (result === 'unknown') throw new ServiceError('NOT_FOUND', 'There is no such passkey.');
    if (result === 'changed') throw changed();
  }

  return { creationOptions, requestOptions, list, remove };
}

/** Adds passkeys and signs in with them. */
export function passkeyCeremonies(
  accounts: Pick<AccountStore, 'find'>,
  store: PasskeyStore,
  webAuthn: WebAuthn,
  noticeTo: SecurityNotice,
  clock: Clock,
) {
  /** Ends the challenge of a response before it is verified. Undefined if it was not issued for this purpose. */
  async function takeChallenge({ response }: AuthenticatorResponse, account?: Account): Promise<string | undefined> {
    const challenge = challengeIn(response.clientDataJSON);
    const issued = challenge === undefined ? undefined : await store.takeChallenge(digestOf(challenge));
    const isValid =
      issued !== undefined &&
      issued.expiresAt > clock.now() &&
      issued.accountId === account?.id &&
      (account === undefined || issued.sessionsValidFrom === (account.sessionsValidFrom ?? 0));
    return isValid ? challenge : undefined;
  }

  /** Ends all sessions; the caller opens another. */
  async function add(account: Account, response: AuthenticatorResponse, name: string) {
    const challenge = await takeChallenge(response, account);
    if (challenge === undefined)
      throw new ServiceError('INVALID_TOKEN', 'The challenge has expired or was already used. Request new options.');
    const created = await webAuthn.verifyCreation(response, challenge).catch((cause: unknown) => {
      throw new ServiceError('INVALID_FORMAT', 'The passkey could not be verified. Request new options.', { cause });
    });
    const now = clock.now();
    const passkey: Passkey = { ...created, digest: digestOf(created.credentialId), name, createdAt: now };
    const result = await store.add(account, passkey, limits.passkeys, noticeTo(account, 'passkey-added'), now);
    if (result === 'known') throw new ServiceError('INVALID_STATE', 'The account already has this passkey.');
    if (result === 'too many') throw tooMany();
    if (result === 'changed') throw changed();
    return viewOf(passkey);
  }

  /** Returns the owner of the passkey. Every failure returns the same error. */
  async function signIn(response: AuthenticatorResponse): Promise<Account> {
    const challenge = await takeChallenge(response);
    const accountId = accountOfHandle(response.response.userHandle);
    if (challenge === undefined || accountId === undefined) throw refused();
    const passkey = await store.find(accountId, digestOf(response.id));
    const account = passkey && (await accounts.find(accountId));
    if (!account || account.deletedAt !== undefined) throw refused();
    const signCount = await webAuthn.verifySignIn(response, challenge, passkey).catch((cause: unknown) => {
      throw refused(cause);
    });
    if (!(await store.use(accountId, passkey.digest, signCount, clock.now()))) throw refused();
    return account;
  }

  return { add, signIn };
}

const viewOf = ({ digest, name, createdAt, lastUsedAt }: Passkey) => ({
  id: digest,
  name,
  createdAt: iso(createdAt),
  lastUsedAt: lastUsedAt === undefined ? null : iso(lastUsedAt),
});

/** Also bounds the length of an id. */
const digestOf = (text: string): string => hash('sha256', text, 'buffer').subarray(0, 16).toString('base64url');

function challengeIn(clientData: string): string | undefined {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientData, 'base64url').toString());
    return typeof challenge === 'string' ? challenge : undefined;
  } catch {
    return undefined;
  }
}

const handleBytes = 8;

/** The account's id. Random, so it reveals nothing about the user. */
function handleOf(accountId: number): string {
  const handle = Buffer.alloc(handleBytes);
  handle.writeBigUInt64BE(BigInt(accountId));
  return handle.toString('base64url');
}

function accountOfHandle(handle = ''): number | undefined {
  const bytes = Buffer.from(handle, 'base64url');
  const id = bytes.length === handleBytes ? Number(bytes.readBigUInt64BE()) : Number.NaN;
  return Number.isSafeInteger(id) ? id : undefined;
}

const refused = (cause?: unknown): ServiceError =>
  new ServiceError('INVALID_CREDENTIALS', 'The passkey was not accepted. Try again, or sign in another way.', {
    cause,
  });

const tooMany = (): ServiceError =>
  new ServiceError('INVALID_STATE', `An account has at most ${limits.passkeys} passkeys. Remove one first.`);

/** A challenge to sign. With an account, for a new passkey of it. `expiresAt` in epoch ms. */
export interface Challenge {
  readonly digest: string;
  readonly expiresAt: number;
  readonly accountId?: number;
  readonly sessionsValidFrom?: number;
}

export interface PasskeyStore {
  openChallenge(challenge: Challenge): Promise<void>;
  /** Deletes the challenge and returns it. Undefined if it was already taken. */
  takeChallenge(digest: string): Promise<Omit<Challenge, 'digest'> | undefined>;
  list(accountId: number): Promise<Passkey[]>;
  find(accountId: number, digest: string): Promise<Passkey | undefined>;
  /** Ends sessions and reset links. */
  add(
    account: Account,
    passkey: Passkey,
    max: number,
    notice: OutgoingMail,
    now: number,
  ): Promise<'added' | 'known' | 'too many' | 'changed'>;
  /** Ends sessions and reset links. */
  remove(
    account: Account,
    digest: string,
    notice: OutgoingMail,
    now: number,
  ): Promise<'removed' | 'unknown' | 'changed'>;
  /** Stores the signature counter and the use. Returns false if the counter has not risen since. */
  use(accountId: number, digest: string, signCount: number, now: number): Promise<boolean>;
}
