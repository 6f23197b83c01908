import { dayMs, endOfMonth, iso } from '#contract/shared/time.ts';
import type { Metering } from '../meter/metering.ts';
import { issueCredential, newRequestId, parseCredential } from '../shared/credential.ts';
import type { Clock, OutgoingMail, Random } from '../shared/ports.ts';
import { ServiceError } from '../shared/service-error.ts';
import {
  type Account,
  type AccountSettings,
  type AccountStore,
  type EmailChange,
  type EmailChangeOutcome,
  normalizedEmail,
} from './account.ts';
import { addressTakenMail, agreementMail, emailChangedMail, newAddressMail } from './email-change-mails.ts';
import type { MailContent } from './mail-layout.ts';
import { emailChangeRequests, mailsFromNetwork, mailsToAddress, type Throttle } from './throttle.ts';

const lifetimeMs = dayMs;

const maxTries = 5;

export interface DecisionResult {
  readonly status: 'waiting' | 'changed' | 'refused';
  readonly waitingFor: Side | null;
  readonly account: Account;
  readonly isCompletion: boolean;
}

interface EmailChangeParts {
  readonly meters: () => Metering;
  /** Called after the address of an account has changed. Must not throw. */
  readonly onChanged: (accountId: number) => Promise<void>;
}

/** Changes an account's email address after confirmation from both addresses (ADR 17). */
export function emailChangeService(
  accounts: AccountStore,
  changes: EmailChangeStore,
  throttle: Throttle,
  { meters, onChanged }: EmailChangeParts,
  clock: Clock,
  random: Random,
  settings: Pick<AccountSettings, 'publicOrigin'>,
) {
  function check(account: Account, email: string): void {
    if (normalizedEmail(email) !== account.email) return;
    throw new ServiceError('INVALID_FORMAT', 'email must differ from the current address.');
  }

  /**
   * Emails both addresses. If another account has the new address, that address receives a notice; the response and its
   * timing are the same.
   */
  async function request(account: Account, newEmail: string, network?: string): Promise<void> {
    const email = normalizedEmail(newEmail);
    await enforceEmailLimits(account, email, network);
    const owner = await accounts.findByEmail(email);
    const [forOld, forNew] = [issue(account), issue(account)];
    const now = clock.now();
    const change: EmailChange = {
      email,
      oldDigest: forOld.digest,
      ...(!owner && { newDigest: forNew.digest }),
      requestedAt: now,
      expiresAt: now + lifetimeMs,
      sessionsValidFrom: account.sessionsValidFrom ?? 0,
    };
    const toNew = owner
      ? addressTakenMail(`${settings.publicOrigin}/login`, owner.language)
      : newAddressMail(linkOf(forNew.text), account.language);
    const mails = [mailTo(account.email, agreementMail(account, email, linkOf(forOld.text))), mailTo(email, toNew)];
    if (await changes.request(account, change, mails)) return;
    throw new ServiceError('INVALID_STATE', 'The account has changed. Sign in again.');
  }

  async function enforceEmailLimits(account: Account, email: string, network: string | undefined): Promise<void> {
    if (network) await throttle.enforce(mailsFromNetwork, network);
    await throttle.enforce(emailChangeRequests, String(account.id));
    try {
      await throttle.enforce(mailsToAddress, email);
    } catch (error) {
      await throttle.release(emailChangeRequests, String(account.id));
      throw error;
    }
  }

  async function cancel(account: Account): Promise<void> {
    if (account.emailChange) await changes.end(account, 'cancelled');
  }

  async function decide(tokenText: string, decision: 'confirm' | 'refuse'): Promise<DecisionResult> {
    const token = parseCredential(tokenText);
    if (token?.kind !== 'emailChange') throw badToken();
    for (let tries = 0; tries < maxTries; tries++) {
      const account = await accounts.find(token.accountId);
      const side = sideOf(account?.emailChange, token.digest);
      if (!account?.emailChange || !side) throw badToken();
      const decided = isPending(account, account.emailChange, clock.now())
        ? await (decision === 'confirm' ? confirm(account, side) : refuse(account))
        : repeated(account, account.emailChange, decision);
      if (decided) return decided;
    }
    throw new ServiceError(
      'INVALID_STATE',
      'The email change was confirmed or rejected by another request. Open the link again.',
    );
  }

  async function confirm(before: Account, side: Side): Promise<DecisionResult | undefined> {
    const now = clock.now();
    const account = await changes.confirm(before, side, now);
    if (!account?.emailChange) return undefined;
    const { oldConfirmedAt, newConfirmedAt } = account.emailChange;
    if (oldConfirmedAt === undefined || newConfirmedAt === undefined)
      return { status: 'waiting', waitingFor: side === 'old' ? 'new' : 'old', account, isCompletion: false };
    return complete(account, account.emailChange, now);
  }

  async function complete(account: Account, { email }: EmailChange, now: number): Promise<DecisionResult | undefined> {
    const notice = emailChangedMail(account, email, settings.publicOrigin);
    const notices = [mailTo(account.email, notice), mailTo(email, notice)];
    const result = await changes.complete(account, { notices, freeFrom: await nextFreeMonth(account.id, now) }, now);
    if (result === 'not pending') return undefined;
    const after = await accounts.find(account.id);
    if (result === 'changed') await onChanged(account.id);
    if (result === 'changed' && after)
      return { status: 'changed', waitingFor: null, account: after, isCompletion: true };
    // The account itself has the address if this change was completed concurrently.
    if (after?.emailChange?.outcome !== undefined) return undefined;
    throw new ServiceError(
      'EMAIL_ALREADY_REGISTERED',
      'Another account now has the new address; delete that account first, or cancel the change.',
    );
  }

  async function refuse(account: Account): Promise<DecisionResult | undefined> {
    const isRefused = await changes.end(account, 'refused');
    return isRefused ? { status: 'refused', waitingFor: null, account, isCompletion: false } : undefined;
  }

  /** Computed as for a deletion of the old address's account, because free months belong to the address too. */
  async function nextFreeMonth(accountId: number, now: number): Promise<number | undefined> {
    const meter = await meters().find(accountId);
    return meter && endOfMonth(meter.freeAnchor, Math.floor(now / 1000));
  }

  function repeated(account: Account, change: EmailChange, decision: 'confirm' | 'refuse'): DecisionResult {
    const again = { waitingFor: null, account, isCompletion: false };
    if (change.expiresAt <= clock.now()) throw badToken();
    if (change.outcome === 'changed' && decision === 'confirm') return { status: 'changed', ...again };
    if (change.outcome === 'refused' && decision === 'refuse') return { status: 'refused', ...again };
    if (change.outcome === 'changed')
      throw new ServiceError('INVALID_STATE', 'The email address has already been changed. Contact support.');
    throw badToken();
  }

  const issue = (account: Account) => issueCredential('emailChange', account.id, random);
  const linkOf = (token: string): string => `${settings.publicOrigin}/email-change?token=${token}`;

  function mailTo(to: string, content: MailContent): OutgoingMail {
    return { id: newRequestId(random), to, ...content };
  }

  return { check, request, cancel, decide };
}

function sideOf(change: EmailChange | undefined, digest: string): Side | undefined {
  if (change?.oldDigest === digest) return 'old';
  return change?.newDigest === digest ? 'new' : undefined;
}

function badToken(): ServiceError {
  return new ServiceError(
    'INVALID_TOKEN',
    'The link has expired, was replaced by a newer one, or the change was cancelled; request it again in the settings.',
  );
}

/** Returns whether the change is open and no session of its request has been ended. */
function isPending(account: Account, change: EmailChange, now: number): boolean {
  return (
    change.outcome === undefined &&
    change.expiresAt > now &&
    change.sessionsValidFrom === (account.sessionsValidFrom ?? 0) &&
    account.deletedAt === undefined
  );
}

export function emailChangeView(account: Account, now: number) {
  const change = account.emailChange;
  if (!change || !isPending(account, change, now)) return null;
  return {
    email: change.email,
    expiresAt: iso(change.expiresAt),
    isConfirmedByOld: change.oldConfirmedAt !== undefined,
    isConfirmedByNew: change.newConfirmedAt !== undefined,
  };
}

export type Side = 'old' | 'new';

export interface Completion {
  readonly notices: readonly OutgoingMail[];
  /** Epoch seconds after which an account registered with the former address can start a free month. */
  readonly freeFrom: number | undefined;
}

/** Writes require a pending change, and the sessions and address of its request. Times in epoch ms. */
export interface EmailChangeStore {
  request(account: Account, change: EmailChange, mails: readonly OutgoingMail[]): Promise<boolean>;
  confirm(account: Account, side: Side, now: number): Promise<Account | undefined>;
  end(account: Account, outcome: EmailChangeOutcome): Promise<boolean>;
  /** 'address in use': another account has the address. 'not pending': the change is no longer pending. */
  complete(
    account: Account,
    completion: Completion,
    now: number,
  ): Promise<'changed' | 'address in use' | 'not pending'>;
}
