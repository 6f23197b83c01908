import { hash, createHmac, timingSafeEqual } from 'node:crypto';
import { offer } from '#contract/offer/current-offer.ts';
import { hourMs, minuteMs } from '#contract/shared/time.ts';
import { issueCredential, parseCredential } from '../shared/credential.ts';
import type { Clock, OutgoingMail, Random } from '../shared/ports.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { Account } from './account.ts';
import type { SecurityNotice } from './security-mails.ts';
import { type DeviceService, enforceRowLimit, type OpenedSession, refuseClosed } from './sessions.ts';
import { factorGuesses, type Throttle } from './throttle.ts';

/** Lifetimes in ms of a secret that is not yet confirmed, and of a sign-in that waits for its second factor. */
const setupLifetimeMs = hourMs;
const pendingLifetimeMs = 5 * minuteMs;

/** Each password that is correct opens one. */
const maxPending = 10;

const recoveryCodes = 10;
/** 80 random bits, so that a plain hash of them cannot be reversed. */
const recoveryBytes = 10;

/** A code of the authenticator app, or a recovery code. */
export interface FactorProof {
  readonly code?: string | undefined;
  readonly recoveryCode?: string | undefined;
}

/** Guesses are counted separately by where they are made, so that one place does not lock out the owner at another. */
type Place = 'sign-in' | 'reset' | 'session';

/** The second factor of an account: an authenticator app and its recovery codes (docs/accounts.md#two-step-sign-in). */
export function secondFactorService(
  store: SecondFactorStore,
  throttle: Throttle,
  devices: DeviceService,
  clock: Clock,
  random: Random,
  noticeTo: SecurityNotice,
) {
  /** Opens the second step of a sign-in whose first step succeeded. The text grants nothing else. */
  async function begin(account: Account): Promise<OpenedSession> {
    refuseClosed(account);
    const { text, digest } = issueCredential('secondFactor', account.id, random);
    const expiresAt = clock.now() + pendingLifetimeMs;
    await store.pending.open(account.id, { digest, expiresAt, sessionsValidFrom: account.sessionsValidFrom ?? 0 });
    await enforceRowLimit(store.pending, account.id, ({ expiresAt }) => expiresAt, maxPending);
    return { text, lifetimeMs: pendingLifetimeMs };
  }

  /** Returns the account whose sign-in is complete. The text works for one sign-in. */
  async function finish(text: string | undefined, device: string | undefined, proof: FactorProof): Promise<Account> {
    const pending = parseCredential(text ?? '');
    const found = pending?.kind === 'secondFactor' && (await store.pending.find(pending.accountId, pending.digest));
    if (!pending || !found || !isOpen(found.row, found.account)) throw expiredSignIn();
    const known = await devices.knownTo(found.account.email, device);
    await verify(found.account, known === undefined ? 'sign-in' : { device: known }, proof);
    if (!(await store.pending.take(pending.accountId, pending.digest))) throw expiredSignIn();
    return found.account;
  }

  function isOpen({ expiresAt, sessionsValidFrom }: PendingSignIn, account: Account): boolean {
    return (
      expiresAt > clock.now() &&
      sessionsValidFrom === (account.sessionsValidFrom ?? 0) &&
      account.deletedAt === undefined
    );
  }

  /** Does nothing for an account without a second factor. */
  async function prove(account: Account, place: 'reset' | 'session', proof: FactorProof): Promise<void> {
    if (account.secondFactorAt !== undefined) await verify(account, place, proof);
  }

  async function verify(account: Account, place: Place | { readonly device: string }, proof: FactorProof) {
    if (proof.code === undefined && proof.recoveryCode === undefined) throw required();
    await guess(account, place, () => isAccepted(account, proof));
  }

  /** Counts the attempt before its work. A wrong code in a session counts for the sign-in too, like a password. */
  async function guess(account: Account, place: Place | { readonly device: string }, attempt: () => Promise<boolean>) {
    const subject = typeof place === 'object' ? `device#${place.device}` : `${place}#${account.id}`;
    await throttle.enforce(factorGuesses, subject);
    if (!(await attempt())) {
      if (place === 'session') await throttle.take(factorGuesses, `sign-in#${account.id}`);
      throw new ServiceError('INVALID_CREDENTIALS', 'The code is incorrect or was already used.');
    }
    await throttle.clear(factorGuesses, subject);
  }

  async function isAccepted(account: Account, { code, recoveryCode }: FactorProof): Promise<boolean> {
    if (code === undefined)
      return store.useRecoveryCode(
        account.id,
        recoveryDigest(account.id, recoveryCode ?? ''),
        noticeTo(account, 'recovery-code'),
        clock.now(),
      );
    const app = await store.find(account.id);
    if (app?.confirmedAt === undefined) return false;
    const step = stepOf(app.secret, code, clock.now());
    return step !== undefined && store.acceptStep(account.id, app.secret, step);
  }

  /** Replaces an unconfirmed secret. */
  async function setUp(account: Account) {
    const secret = random.bytes(secretBytes);
    const now = clock.now();
    if (!(await store.setUp(account.id, secret, now + setupLifetimeMs))) throw alreadyOn();
    const text = base32(secret);
    const label = encodeURIComponent(`${offer.product.name}:${account.email}`);
    const issuer = encodeURIComponent(offer.product.name);
    const query = `secret=${text}&issuer=${issuer}&algorithm=SHA1&digits=6&period=30`;
    return { secret: text, otpauthUrl: `otpauth://totp/${label}?${query}` };
  }

  /** Turns the second factor on and ends all sessions. Returns the recovery codes, which are stored as hashes. */
  async function confirm(account: Account, code: string): Promise<readonly string[]> {
    if (account.secondFactorAt !== undefined) throw alreadyOn();
    const app = await store.find(account.id);
    const now = clock.now();
    if (!app || app.confirmedAt !== undefined || (app.expiresAt ?? 0) <= now)
      throw new ServiceError('INVALID_STATE', 'The setup has not begun or has expired. Start it again.');
    let step = 0;
    await guess(account, 'session', () => {
      step = stepOf(app.secret, code, now) ?? 0;
      return Promise.resolve(step > 0);
    });
    const codes = Array.from({ length: recoveryCodes }, () => base32(random.bytes(recoveryBytes)));
    const recovery = codes.map((text) => recoveryDigest(account.id, text));
    const enabled = { secret: app.secret, step, recovery };
    if (!(await store.enable(account, enabled, noticeTo(account, 'factor-on'), now))) throw changed();
    return codes.map((text) => text.replaceAll(/.{4}(?=.)/g, '$&-'));
  }

  /** Turns the second factor off and ends all sessions. */
  async function turnOff(account: Account, proof: FactorProof): Promise<void> {
    if (account.secondFactorAt === undefined)
      throw new ServiceError('INVALID_STATE', 'The account has no authenticator app.');
    await verify(account, 'session', proof);
    if (!(await store.disable(account, noticeTo(account, 'factor-off'), clock.now()))) throw changed();
  }

  return { begin, required, finish, prove, setUp, confirm, turnOff };
}

/** Bound to the account, so equal codes of two accounts hash differently. Ignores case, spaces and hyphens. */
function recoveryDigest(accountId: number, code: string): string {
  const text = `${accountId}#${code.replaceAll(/[\s-]/g, '').toUpperCase()}`;
  return hash('sha256', text, 'buffer').subarray(0, 16).toString('base64url');
}

const required = (): ServiceError =>
  new ServiceError(
    'SECOND_FACTOR_REQUIRED',
    'The account uses two-step sign-in. Send the code of the authenticator app, or a recovery code.',
  );

const expiredSignIn = (): ServiceError =>
  new ServiceError('INVALID_CREDENTIALS', 'The sign-in has expired or is complete. Sign in again.');

const alreadyOn = (): ServiceError =>
  new ServiceError('INVALID_STATE', 'The account already has an authenticator app. Turn it off first.');

export const changed = (): ServiceError => new ServiceError('INVALID_STATE', 'The account has changed. Sign in again.');

/** A sign-in that waits for its second factor. Times in epoch ms. */
export interface PendingSignIn {
  readonly digest: string;
  readonly expiresAt: number;
  /** The account's value at the first step. The second step is refused once it differs. */
  readonly sessionsValidFrom: number;
}

/** An authenticator app. `expiresAt`: of the setup, until it is confirmed. Times in epoch ms. */
export interface AuthenticatorApp {
  readonly secret: Uint8Array;
  readonly confirmedAt?: number;
  readonly expiresAt?: number;
}

export interface EnabledFactor {
  readonly secret: Uint8Array;
  /** Step of the code that confirmed it, which is accepted no more. */
  readonly step: number;
  /** Digests of the recovery codes. */
  readonly recovery: readonly string[];
}

export interface SecondFactorStore {
  readonly pending: {
    open(accountId: number, pending: PendingSignIn): Promise<void>;
    find(accountId: number, digest: string): Promise<{ row: PendingSignIn; account: Account } | undefined>;
    list(accountId: number): Promise<PendingSignIn[]>;
    end(accountId: number, digest: string): Promise<void>;
    /** Ends it. Returns false if it has already ended. */
    take(accountId: number, digest: string): Promise<boolean>;
  };
  find(accountId: number): Promise<AuthenticatorApp | undefined>;
  /** Returns false if an app is confirmed. */
  setUp(accountId: number, secret: Uint8Array, expiresAt: number): Promise<boolean>;
  /** Ends sessions and reset links. Returns false if the account or the app has changed. */
  enable(account: Account, enabled: EnabledFactor, notice: OutgoingMail, now: number): Promise<boolean>;
  /** Ends sessions and reset links. Returns false if the account has changed. */
  disable(account: Account, notice: OutgoingMail, now: number): Promise<boolean>;
  /** Returns false if the code of this step or a later one was already accepted. */
  acceptStep(accountId: number, secret: Uint8Array, step: number): Promise<boolean>;
  /** Returns false if there is no such code or it was already used. */
  useRecoveryCode(accountId: number, digest: string, notice: OutgoingMail, now: number): Promise<boolean>;
}

/**
 * Time-based one-time passwords (RFC 6238): six digits, 30 s, SHA-1, as every authenticator app supports them. A
 * library would be longer than these lines, and would also be in every function that verifies a code.
 */
const stepSeconds = 30;

/** Codes of the previous and the next step are accepted too, because clocks differ. */
const tolerance = 1;

/** HMAC-SHA-1's output, the length that RFC 4226 recommends. */
const secretBytes = 20;

export const stepAt = (now: number): number => Math.floor(now / 1000 / stepSeconds);

/** The code of a step (RFC 4226, section 5.3). */
export function codeAt(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const number = mac.readUInt32BE((mac.at(-1) ?? 0) & 0xf) & 0x7fff_ffff;
  return String(number % 1_000_000).padStart(6, '0');
}

/** Returns the step whose code this is. Undefined if it is wrong, too old or too early. `now` in epoch ms. */
export function stepOf(secret: Uint8Array, code: string, now: number): number | undefined {
  const current = stepAt(now);
  const given = Buffer.from(code);
  let found: number | undefined;
  for (let step = current - tolerance; step <= current + tolerance; step++) {
    const expected = Buffer.from(codeAt(secret, step));
    if (expected.length === given.length && timingSafeEqual(expected, given)) found = step;
  }
  return found;
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Base32 without padding (RFC 4648), for a multiple of 5 bytes. */
export function base32(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('');
  return bits.replaceAll(/.{5}/g, (five) => alphabet.charAt(Number.parseInt(five, 2)));
}
