import { otherSessions } from '#contract/accounts/other-sessions.ts';
import { type Credential, issueCredential } from '../../shared/credential.ts';
import type { Clock, Random } from '../../shared/ports.ts';
import { ServiceError } from '../../shared/service-error.ts';
import type { Account } from '../account.ts';
import { endSurplus } from '../surplus.ts';
import type { Session, SessionOrigin, SessionStore } from './session-store.ts';

/** In ms (docs/design/reliability.md#security-parameters). */
const lifetime = 12 * 3_600_000;
const idleLifetime = 30 * 60_000;

/** A session's last use is written down when it is so much later (ms) than what is written. */
const touchAfter = 60_000;

const maxSessions = 10;

/** In ms. For so long after signing in it counts as shown who one is, where there is no password to show it by. */
const recentMs = 10 * 60_000;

/** A session that was opened; `text` is shown to the browser once. */
export interface OpenedSession {
  readonly text: string;
  readonly lifetimeMs: number;
}

export function sessionService(sessions: SessionStore, clock: Clock, random: Random) {
  /** Others give way when there are too many: those that have ended, then the oldest. */
  async function open(account: Account, origin: SessionOrigin): Promise<OpenedSession> {
    refuseClosed(account);
    const { text, digest } = issueCredential('session', account.id, random);
    const now = clock.now();
    await sessions.open(account.id, {
      ...origin,
      digest,
      createdAt: now,
      lastSeenAt: now,
      expiresAt: now + lifetime,
      sessionsValidFrom: account.sessionsValidFrom ?? 0,
    });
    const rank = (session: Session): number => (isAlive(session, account, now) ? session.createdAt : 0);
    await endSurplus(sessions, account.id, rank, maxSessions);
    return { text, lifetimeMs: lifetime };
  }

  /** The account as it is now, when the session is alive. */
  async function accountOf({ accountId, digest }: Credential): Promise<Account | undefined> {
    const found = await sessions.find(accountId, digest);
    const now = clock.now();
    if (!found || !isAlive(found.row, found.account, now)) return undefined;
    if (now - found.row.lastSeenAt > touchAfter) await sessions.touch(accountId, digest, now);
    return found.account;
  }

  /** Refuses (401) a session that was opened a while ago. */
  async function demandRecent({ accountId, digest }: Credential): Promise<void> {
    const found = await sessions.find(accountId, digest);
    if (found && clock.now() - found.row.createdAt <= recentMs) return;
    throw new ServiceError('INVALID_CREDENTIALS', 'Sign in again, and repeat the request within 10 minutes.');
  }

  async function list(account: Account, current: Credential) {
    const now = clock.now();
    const alive = (await sessions.list(account.id)).filter((session) => isAlive(session, account, now));
    return alive
      .toSorted((one, other) => other.lastSeenAt - one.lastSeenAt)
      .map((session) => ({
        id: session.digest,
        ...originOf(session),
        createdAt: new Date(session.createdAt).toISOString(),
        lastSeenAt: new Date(session.lastSeenAt).toISOString(),
        expiresAt: new Date(session.expiresAt).toISOString(),
        current: session.digest === current.digest,
      }));
  }

  /** Ends the session of this id, or all but the current one. */
  async function endOther(account: Account, id: string, current: Credential): Promise<void> {
    const all = await sessions.list(account.id);
    const ended = all.filter(({ digest }) => (id === otherSessions ? digest !== current.digest : digest === id));
    if (ended.length === 0 && id !== otherSessions) throw new ServiceError('NOT_FOUND', 'There is no such session.');
    for (const { digest } of ended) await sessions.end(account.id, digest);
  }

  return {
    open,
    accountOf,
    demandRecent,
    list,
    endOther,
    end: ({ accountId, digest }: Credential) => sessions.end(accountId, digest),
  };
}

function originOf({ browser, system, country, isLocal }: Session): SessionOrigin {
  return { browser, system, country, isLocal };
}

function isAlive(session: Session, account: Account, now: number): boolean {
  return (
    session.expiresAt > now &&
    session.lastSeenAt + idleLifetime > now &&
    session.sessionsValidFrom === (account.sessionsValidFrom ?? 0) &&
    account.suspendedAt === undefined &&
    account.deletedAt === undefined
  );
}

function refuseClosed(account: Account): void {
  if (account.suspendedAt === undefined) return;
  throw new ServiceError('INSUFFICIENT_PERMISSIONS', 'The account is suspended; contact the operators of the service.');
}
