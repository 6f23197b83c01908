import type { OrganizationRole } from '#contract/organizations/roles.ts';
import { otherSessions } from '#contract/shared/limits.ts';
import { iso, minuteMs, dayMs } from '#contract/shared/time.ts';
import { type Credential, issueCredential, parseCredential } from '../shared/credential.ts';
import type { Clock, OutgoingMail, Random } from '../shared/ports.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { Account } from './account.ts';

/** Session lifetimes in ms (docs/security.md#sessions-and-cookies). */
export interface SessionLifetimes {
  readonly idleMs: number;
  readonly maxMs: number;
}

/** Minimum time in ms between two writes of the last use, instead of a write per request. */
const touchInterval = 5 * minuteMs;

const maxSessions = 10;

/** Maximum age in ms of a sign-in that changes how the user signs in without another proof. */
const recentMs = 10 * minuteMs;

export interface OpenedSession {
  readonly text: string;
  readonly lifetimeMs: number;
}

export function sessionService(
  sessions: SessionStore,
  clock: Clock,
  random: Random,
  { idleMs, maxMs }: SessionLifetimes,
) {
  /** At the limit, ends expired sessions, then the oldest. */
  async function open(
    account: Account,
    origin: SessionOrigin,
    { replaced, byPasskey = false }: SessionStart = {},
  ): Promise<OpenedSession> {
    refuseClosed(account);
    const { text, digest } = issueCredential('session', account.id, random);
    const earlier = replaced && (await sessions.find(replaced.accountId, replaced.digest))?.row;
    const now = clock.now();
    const signedInAt = account.secondFactorAt === undefined ? now : (earlier?.createdAt ?? now);
    await sessions.open(account.id, {
      ...origin,
      digest,
      createdAt: signedInAt,
      lastSeenAt: now,
      expiresAt: now + maxMs,
      sessionsValidFrom: account.sessionsValidFrom ?? 0,
      ...((byPasskey || earlier?.byPasskey) && { byPasskey: true }),
    });
    const rank = (session: Session): number => (isAlive(session, account, now) ? session.createdAt : 0);
    await enforceRowLimit(sessions, account.id, rank, maxSessions);
    return { text, lifetimeMs: maxMs };
  }

  /** `organizationId`: an organization whose role is read with the session. */
  async function holderOf({ accountId, digest }: Credential, organizationId?: number): Promise<Holder | undefined> {
    const found = await sessions.find(accountId, digest, organizationId);
    const now = clock.now();
    if (!found || !isAlive(found.row, found.account, now)) return undefined;
    if (now - found.row.lastSeenAt >= touchInterval) await sessions.touch(accountId, digest, now);
    const { row, ...holder } = found;
    const hasSecondFactor = found.account.secondFactorAt !== undefined || row.byPasskey === true;
    return { ...holder, hasSecondFactor };
  }

  /** A session can be stolen and lasts for days, so credentials are changed only soon after a sign-in. */
  async function requireRecent({ accountId, digest }: Credential): Promise<void> {
    const found = await sessions.find(accountId, digest);
    if (found && clock.now() - found.row.createdAt <= recentMs) return;
    throw new ServiceError(
      'INVALID_CREDENTIALS',
      'The sign-in was more than 10 minutes ago. Send the password or an identity token, or sign in again.',
    );
  }

  async function list(account: Account, current: Credential) {
    const now = clock.now();
    const alive = (await sessions.list(account.id)).filter((session) => isAlive(session, account, now));
    return alive
      .toSorted((one, other) => other.lastSeenAt - one.lastSeenAt)
      .map((session) => ({
        id: session.digest,
        ...originOf(session),
        createdAt: iso(session.createdAt),
        lastSeenAt: iso(session.lastSeenAt),
        expiresAt: iso(session.expiresAt),
        current: session.digest === current.digest,
      }));
  }

  async function endOther(account: Account, id: string, current: Credential): Promise<void> {
    const all = await sessions.list(account.id);
    const ended = all.filter(({ digest }) => (id === otherSessions ? digest !== current.digest : digest === id));
    if (ended.length === 0 && id !== otherSessions) throw new ServiceError('NOT_FOUND', 'There is no such session.');
    for (const { digest } of ended) await sessions.end(account.id, digest);
  }

  function isAlive(session: Session, account: Account, now: number): boolean {
    return (
      session.expiresAt > now &&
      session.lastSeenAt + idleMs > now &&
      session.sessionsValidFrom === (account.sessionsValidFrom ?? 0) &&
      account.suspendedAt === undefined &&
      account.deletedAt === undefined
    );
  }

  return {
    open,
    holderOf,
    requireRecent,
    list,
    endOther,
    isShared: (accountId: number) => sessions.isShared(accountId),
    end: ({ accountId, digest }: Credential) => sessions.end(accountId, digest),
  };
}

function originOf({ browser, system, country, isLocal }: Session): SessionOrigin {
  return { browser, system, country, isLocal };
}

export function refuseClosed(account: Account): void {
  if (account.suspendedAt === undefined) return;
  throw new ServiceError('INSUFFICIENT_PERMISSIONS', 'The account is suspended. Contact support.');
}

/** Derived from the request, with names from closed lists, so that it contains no text of the caller. */
export interface SessionOrigin {
  readonly browser: string | null;
  readonly system: string | null;
  readonly country: string | null;
  readonly isLocal: boolean;
}

/** `digest` is the id, not the secret. Times in epoch ms. */
export interface Session extends SessionOrigin {
  readonly digest: string;
  readonly createdAt: number;
  readonly lastSeenAt: number;
  readonly expiresAt: number;
  /** The account's value at sign-in. The session has ended once it differs. */
  readonly sessionsValidFrom: number;
  /** The session began with a passkey. */
  readonly byPasskey?: boolean;
}

export interface SessionStart {
  /**
   * The session that the new one continues. The new session satisfies a second factor if this one did. If the account
   * has an authenticator app, it also inherits the time of sign-in.
   */
  readonly replaced?: Credential | undefined;
  readonly byPasskey?: boolean;
}

/** The person of a session, and the role in the named organization; absent if the person is not a member. */
export interface Holder {
  readonly account: Account;
  /** The account has an authenticator app, or the session began with a passkey. */
  readonly hasSecondFactor: boolean;
  readonly membership?: Standing;
}

/** A member's role, and what the organization requires. */
interface Standing {
  readonly role: OrganizationRole;
  readonly isSuspended: boolean;
  readonly requiresSecondFactor: boolean;
}

export interface SessionStore {
  open(accountId: number, session: Session): Promise<void>;
  /** Reads everything at once. */
  find(
    accountId: number,
    digest: string,
    organizationId?: number,
  ): Promise<(Omit<Holder, 'hasSecondFactor'> & { readonly row: Session }) | undefined>;
  /** Returns whether the id is that of a shared organization, deleted or not. */
  isShared(accountId: number): Promise<boolean>;
  list(accountId: number): Promise<Session[]>;
  touch(accountId: number, digest: string, now: number): Promise<void>;
  end(accountId: number, digest: string): Promise<void>;
}

interface Store<Row> {
  list(accountId: number): Promise<Row[]>;
  end(accountId: number, digest: string): Promise<void>;
}

/**
 * Deletes an account's rows with the lowest ranks beyond `max`. Call it after adding a row: the last of several
 * concurrent calls sees all rows. The order must be the same for all of them, so that no call deletes another's row.
 */
export async function enforceRowLimit<Row extends { readonly digest: string }>(
  store: Store<Row>,
  accountId: number,
  rank: (row: Row) => number,
  max: number,
): Promise<void> {
  const all = await store.list(accountId);
  const best = all.toSorted((one, other) => rank(other) - rank(one) || one.digest.localeCompare(other.digest));
  for (const { digest } of best.slice(max)) await store.end(accountId, digest);
}

const lifetime = 180 * dayMs;

const maxDevices = 10;

/** Precision in ms of the stored last use. */
const useInterval = dayMs;

export interface IssuedDevice {
  readonly text: string;
  readonly lifetimeMs: number;
}

/** Returns the email to the owner about a new device, or undefined if none is sent. `at`: epoch ms. */
export type DeviceNotice = (account: Account, signIn: SessionOrigin, at: number) => Promise<OutgoingMail | undefined>;

export type DeviceService = ReturnType<typeof deviceService>;

/**
 * Remembers browsers that have signed in. A device grants no access; its password guesses are counted separately, so
 * that other clients' guesses do not lock out the owner (ADR 10).
 */
export function deviceService(devices: DeviceStore, noticeOf: DeviceNotice, clock: Clock, random: Random) {
  /** Reads at most once, even for unknown addresses. */
  async function findKnown(address: string, text: string | undefined): Promise<string | undefined> {
    return (await presentedDevice(address, text))?.digest;
  }

  async function presentedDevice(address: string, text: string | undefined): Promise<Device | undefined> {
    const device = parseCredential(text ?? '');
    if (device?.kind !== 'device') return undefined;
    const found = await devices.find(device.accountId, device.digest);
    const isKnown = found && found.account.email === address && isAlive(found.row, found.account);
    return isKnown ? found.row : undefined;
  }

  /**
   * At the limit, replaces the newest device that was never used again, so that clients without cookies replace their
   * own, or else the least recently used one. `signIn`: its origin, for an email about a new device.
   */
  async function remember(
    account: Account,
    text: string | undefined,
    signIn?: SessionOrigin,
  ): Promise<IssuedDevice | undefined> {
    const known = await presentedDevice(account.email, text);
    const now = clock.now();
    if (known) {
      if (now - (known.lastUsedAt ?? 0) >= useInterval) await devices.use(account.id, known.digest, now);
      return undefined;
    }
    const issued = issueCredential('device', account.id, random);
    const device = {
      digest: issued.digest,
      createdAt: now,
      expiresAt: now + lifetime,
      sessionsValidFrom: account.sessionsValidFrom ?? 0,
    };
    await devices.open(account.id, device, signIn && (await noticeOf(account, signIn, now)));
    const rank = (device: Device): number => {
      if (device.digest === issued.digest) return Number.POSITIVE_INFINITY;
      return isAlive(device, account) ? (device.lastUsedAt ?? 1 / device.createdAt) : 0;
    };
    await enforceRowLimit(devices, account.id, rank, maxDevices);
    return { text: issued.text, lifetimeMs: lifetime };
  }

  function isAlive(device: Device, account: Account): boolean {
    return (
      device.expiresAt > clock.now() &&
      device.sessionsValidFrom === (account.sessionsValidFrom ?? 0) &&
      account.deletedAt === undefined
    );
  }

  return { knownTo: findKnown, remember };
}

export interface Device {
  readonly digest: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly lastUsedAt?: number;
  /** The account's value at registration. The device is removed once it differs. */
  readonly sessionsValidFrom: number;
}

export interface DeviceStore {
  /** Also queues the email, in one transaction. */
  open(accountId: number, device: Device, notice?: OutgoingMail): Promise<void>;
  find(accountId: number, digest: string): Promise<{ row: Device; account: Account } | undefined>;
  use(accountId: number, digest: string, now: number): Promise<void>;
  list(accountId: number): Promise<Device[]>;
  end(accountId: number, digest: string): Promise<void>;
}
