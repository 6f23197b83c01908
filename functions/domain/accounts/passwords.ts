import { scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { isOfOwner, isPredictable } from '#contract/accounts/guessable-password.ts';
import { minuteMs } from '#contract/shared/time.ts';
import { issueCredential, newRequestId, parseCredential } from '../shared/credential.ts';
import type { Clock, OutgoingMail, Random } from '../shared/ports.ts';
import { ServiceError } from '../shared/service-error.ts';
import {
  type Account,
  type AccountSettings,
  type AccountStore,
  nameFor,
  normalizedEmail,
  type StoredToken,
} from './account.ts';
import { type MailContent } from './mail-layout.ts';
import { passwordChangedMail, resetMail } from './mails.ts';
import { furtherResetLinks, mailsFromNetwork, mailsToAddress, passwordGuesses, type Throttle } from './throttle.ts';

const resetLifetimeMs = 30 * minuteMs;

const maxTries = 5;

export function passwordService(
  accounts: AccountStore,
  passwords: PasswordStore,
  throttle: Throttle,
  clock: Clock,
  random: Random,
  settings: AccountSettings,
) {
  /**
   * Responds identically for known and unknown addresses. After the public limit, a confirmed account can still
   * receive a link every ten minutes (ADR 10).
   */
  async function forgot(email: string, network?: string): Promise<void> {
    if (network) await throttle.enforce(mailsFromNetwork, network);
    const address = normalizedEmail(email);
    const isFurther = (await throttle.take(mailsToAddress, address)) > 0;
    if (isFurther && (await throttle.take(furtherResetLinks, address)) > 0) return;
    await passwords.requestReset(newRequestId(random), { email: address, isFurther, requestedAt: clock.now() });
  }

  /** Idempotent. A request older than the account's credentials issues no link. */
  async function sendResetLink(requestId: string): Promise<void> {
    for (let tries = 0; tries < maxTries; tries++) {
      const request = await passwords.findRequest(requestId);
      if (!request) return;
      const account = await accounts.findByEmail(request.email);
      const now = clock.now();
      const isDue =
        (!request.isFurther || account?.confirmedAt !== undefined) &&
        request.requestedAt > (account?.sessionsValidFrom ?? Number.NEGATIVE_INFINITY);
      const issued = account && isDue ? resetOf(account, request.isFurther, now) : undefined;
      if (await passwords.closeRequest(requestId, issued, now)) return;
    }
    throw new Error('the account had other links made meanwhile');
  }

  /**
   * Returns the updated account. Checks the token before and after hashing, so that invalid tokens cost no hash.
   * `prove` requires the second factor of an account that has one.
   */
  async function reset(
    tokenText: string,
    newPassword: string,
    prove: (account: Account) => Promise<void>,
  ): Promise<Account> {
    const token = parseCredential(tokenText);
    if (token?.kind !== 'reset') throw badToken();
    const { accountId, digest } = token;
    if (!(await passwords.isResetToken(accountId, digest, clock.now()))) throw badToken();
    const account = await accounts.find(accountId);
    if (!account || account.deletedAt !== undefined) throw badToken();
    await checkNew(account, newPassword);
    await prove(account);
    const hash = await hashed(newPassword);
    // A stranger may have registered an unconfirmed account, so the reset also replaces the name.
    const name = account.confirmedAt === undefined && { name: nameFor(account.email) };
    const to = { passwordHash: hash, ...name };
    if (!(await passwords.reset(accountId, digest, to, noticeTo(account), clock.now()))) throw badToken();
    await throttle.clear(passwordGuesses, account.email);
    return (await accounts.find(accountId)) ?? account;
  }

  function checkNew(account: Account, newPassword: string): Promise<void> {
    return refuseGuessablePassword(settings.commonPasswords, newPassword, account, 'newPassword');
  }

  /**
   * Requires a prior `checkNew`. Ends all sessions; the caller opens another. `account`: as read with the caller's
   * session. Returns the epoch ms from which sessions are valid.
   */
  async function change(account: Account, newPassword: string): Promise<number> {
    const hash = await hashed(newPassword);
    const now = clock.now();
    if (await passwords.change(account, hash, noticeTo(account), now)) return now;
    throw new ServiceError('INVALID_STATE', 'The password or another way to sign in has changed. Sign in again.');
  }

  function resetOf(account: Account, isFurther: boolean, now: number) {
    const { text, digest } = issueCredential('reset', account.id, random);
    const mail = mailTo(account, resetMail(account, `${settings.publicOrigin}/reset-password?token=${text}`));
    return { account, token: { digest, expiresAt: now + resetLifetimeMs }, isFurther, mail };
  }

  function noticeTo(account: Account): OutgoingMail {
    return mailTo(account, passwordChangedMail(account, `${settings.publicOrigin}/forgot-password`));
  }

  function mailTo(account: Account, content: MailContent): OutgoingMail {
    return { id: newRequestId(random), to: account.email, ...content };
  }

  function hashed(password: string): Promise<string> {
    return hashPassword(password, settings.scryptLog2Cost, random.bytes(16));
  }

  return { forgot, sendResetLink, reset, checkNew, change };
}

function badToken(): ServiceError {
  return new ServiceError('INVALID_TOKEN', 'The reset link has expired or was already used. Request a new one.');
}

export interface CommonPasswords {
  has(password: string): Promise<boolean>;
}

/** Throws 400 for a common password, or one derived from the owner's data. `field`: its name in the request. */
export async function refuseGuessablePassword(
  common: CommonPasswords,
  password: string,
  owner: Pick<Account, 'email' | 'name'>,
  field: string,
): Promise<void> {
  if (isOfOwner(password, owner))
    throw new ServiceError('INVALID_FORMAT', `${field} must not be your email address or your name.`);
  if (isPredictable(password) || (await common.has(password)))
    throw new ServiceError('INVALID_FORMAT', `${field} must not be one of the most common passwords.`);
}

/** `isFurther`: the limit of links that anyone can request was reached. `requestedAt` in epoch ms. */
export interface ResetRequest {
  readonly email: string;
  readonly requestedAt: number;
  readonly isFurther: boolean;
}

/** A reset token and its email. A further one leaves earlier tokens valid; any other revokes them. */
export interface IssuedReset {
  readonly account: Account;
  readonly token: StoredToken;
  readonly isFurther: boolean;
  readonly mail: OutgoingMail;
}

export interface ResetAccount {
  readonly passwordHash: string;
  readonly name?: string;
}

export interface PasswordStore {
  rehash(accountId: number, before: string, passwordHash: string): Promise<void>;
  /** Records a request for a reset link. A job handles it, so that the response time reveals nothing. */
  requestReset(requestId: string, request: ResetRequest): Promise<void>;
  findRequest(requestId: string): Promise<ResetRequest | undefined>;
  /** Returns false if the request is already closed, or the account has changed since it was read. */
  closeRequest(requestId: string, reset: IssuedReset | undefined, now: number): Promise<boolean>;
  isResetToken(accountId: number, digest: string, now: number): Promise<boolean>;
  /** Consumes all reset tokens and ends all sessions. Returns false if the token is no longer valid. */
  reset(accountId: number, digest: string, to: ResetAccount, notice: OutgoingMail, now: number): Promise<boolean>;
  /** Ends all earlier sessions and reset links. Returns false if the account has changed since it was read. */
  change(account: Account, passwordHash: string, notice: OutgoingMail, now: number): Promise<boolean>;
}

/** Each hash at N=2^17 uses 128 MiB and a core (docs/security.md#credentials). */
const maxConcurrent = 2;

const derive = promisify<string, Uint8Array, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(
  scrypt,
);

const queue = hashQueue();

const hashBytes = 32;
const blockSize = 8;

/**
 * Version 1, which has no version field, hashes the password alone. HMAC pads its key with NUL (RFC 2104), so
 * passwords that differ only in trailing NULs have the same hash. Version 2 prefixes the password with its length.
 */
type Version = 1 | 2;

/** Returns a PHC string of scrypt with r=8, p=1 (docs/security.md#credentials). Throws 503 after `waitMs`. */
export async function hashPassword(
  password: string,
  log2Cost: number,
  salt: Uint8Array,
  waitMs?: number,
): Promise<string> {
  return phcOf(log2Cost, salt, await run(password, { version: 2, log2Cost, salt }, waitMs));
}

export async function verifyPassword(password: string, phc: string): Promise<boolean> {
  const parts = parsePhc(phc);
  const hash = await run(password, parts);
  return timingSafeEqual(hash, parts.hash);
}

/**
 * Returns whether the cost is outdated, or the version is 1. A password that ends in NUL never replaces a version 1
 * hash, because it may be a variant of the owner's password.
 */
export function isOutdated(phc: string, password: string, log2Cost: number): boolean {
  const stored = parsePhc(phc);
  if (stored.version === 1) return !password.endsWith('\0');
  return stored.log2Cost !== log2Cost;
}

/** Makes responses for unknown accounts take as long as for known ones. */
export function decoyHash(log2Cost: number): string {
  return phcOf(log2Cost, new Uint8Array(16), new Uint8Array(hashBytes));
}

interface Parameters {
  readonly version: Version;
  readonly log2Cost: number;
  readonly salt: Uint8Array;
}

function run(password: string, { version, log2Cost, salt }: Parameters, waitMs?: number): Promise<Buffer> {
  const N = 2 ** log2Cost;
  const text = password.normalize('NFC');
  const input = version === 1 ? text : `${Buffer.byteLength(text)}:${text}`;
  return queue.run(
    () => derive(input, salt, hashBytes, { N, r: blockSize, p: 1, maxmem: 256 * N * blockSize }),
    waitMs,
  );
}

function phcOf(log2Cost: number, salt: Uint8Array, hash: Uint8Array): string {
  return `$scrypt$v=2$ln=${log2Cost},r=${blockSize},p=1$${unpadded(salt)}$${unpadded(hash)}`;
}

function parsePhc(phc: string): Parameters & { readonly hash: Buffer } {
  const parts = /^\$scrypt(\$v=2)?\$ln=(\d+),r=8,p=1\$([\w+/]+)\$([\w+/]+)$/.exec(phc);
  const [, version, log2Cost, salt, hash] = parts ?? [];
  if (!log2Cost || !salt || !hash) throw new Error('stored password hash is not a PHC string of scrypt');
  return {
    version: version === undefined ? 1 : 2,
    log2Cost: Number(log2Cost),
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  };
}

function unpadded(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replaceAll('=', '');
}

/** Maximum wait in ms, well below the request timeout of 28 s. */
const maxWaitMs = 15_000;

const retryAfterSeconds = 5;

export function hashQueue(concurrency = maxConcurrent) {
  const waiting = new Set<() => void>();
  let running = 0;

  /** Throws 503 without running `hash` if it cannot start within `waitMs`. */
  async function run<Hash>(hash: () => Promise<Hash>, waitMs = maxWaitMs): Promise<Hash> {
    if (running >= concurrency) await place(waitMs);
    else running += 1;
    try {
      return await hash();
    } finally {
      passOn();
    }
  }

  function place(waitMs: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const start = (): void => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(() => {
      waiting.delete(start);
      reject(busy());
    }, waitMs);
    waiting.add(start);
    return promise;
  }

  function passOn(): void {
    const [next] = waiting;
    if (!next) {
      running -= 1;
      return;
    }
    waiting.delete(next);
    next();
  }

  return { run };
}

function busy(): ServiceError {
  const detail = 'The service is busy checking passwords. Try again.';
  return new ServiceError('SERVICE_UNAVAILABLE', detail, { retryAfterSeconds });
}
