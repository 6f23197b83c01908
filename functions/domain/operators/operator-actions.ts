import type { InferOutput } from 'valibot';
import { type PlanName, planOfRank } from '#contract/billing/plans.ts';
import { microPerCredit } from '#contract/billing/prices.ts';
import type { AuditAction, AuditedState, AuditEvent, AuditQuery } from '#contract/operators/operators.ts';
import { iso } from '#contract/shared/time.ts';
import { type Account, type AccountStore, normalizedEmail, type Role } from '../accounts/account.ts';
import { grantCredits } from '../billing/grants.ts';
import type { SubscriptionService } from '../billing/subscriptions.ts';
import type { KeyService } from '../keys/key-service.ts';
import type { SuppressionStore } from '../mail/mail.ts';
import { type MeterStore, balance, type LedgerEntry, type Meter } from '../meter/meter.ts';
import type { Metering } from '../meter/metering.ts';
import type { OrderStore } from '../payments/order.ts';
import { clearHold } from '../payments/reversals.ts';
import { newRequestId } from '../shared/credential.ts';
import type { Clock, Random } from '../shared/ports.ts';
import { ServiceError } from '../shared/service-error.ts';
import { existing, operatedAccount } from './operated-account.ts';

export type Authority = Required<Pick<AuditEvent, 'by' | 'reason' | 'requestId'>>;

interface Parts {
  readonly accounts: AccountStore;
  readonly store: OperatorStore;
  readonly keys: KeyService;
  readonly metering: Metering;
  readonly subscriptions: SubscriptionService;
  readonly orders: () => Promise<OrderStore>;
  readonly suppressions: SuppressionStore;
  readonly clock: Clock;
  readonly random: Random;
}

/** Operator actions on other accounts (docs/adr/0018-audit-trail.md). */
export function operatorActions(parts: Parts) {
  const { accounts, store, keys, metering, subscriptions, clock, random } = parts;

  async function begin(accountId: number, action: AuditAction, authority: Authority) {
    const isOwn = accountId === authority.by;
    if (isOwn || (await store.isMember(accountId, authority.by))) {
      throw new ServiceError(
        'INSUFFICIENT_PERMISSIONS',
        `Operators may not act on their own ${isOwn ? 'account' : 'organization'}; another operator must do it.`,
      );
    }
    const account = existing(await accounts.find(accountId));
    if (account.deletedAt !== undefined) throw new ServiceError('INVALID_STATE', 'The account is deleted.');
    const about = { accountId, action, ...authority, at: clock.now() };
    return { account, event: (before: AuditedState, after: AuditedState): AuditEvent => ({ ...about, before, after }) };
  }

  async function shown(accountId: number) {
    const account = existing(await accounts.find(accountId));
    return operatedAccount(account, await metering.current(accountId, clock.now()));
  }

  async function suspend(accountId: number, authority: Authority) {
    const { account, event } = await begin(accountId, 'suspend', authority);
    if (account.suspendedAt !== undefined) throw alreadySuspended();
    const change = () => store.suspend(event({ status: 'active' }, { status: 'suspended' }));
    if (!(await subscriptions.collectAfter(accountId, change))) throw alreadySuspended();
    return shown(accountId);
  }

  async function resume(accountId: number, authority: Authority) {
    const { account, event } = await begin(accountId, 'resume', authority);
    if (account.suspendedAt === undefined) throw notSuspended();
    const change = () => store.resume(event({ status: 'suspended' }, { status: 'active' }));
    if (!(await subscriptions.collectAfter(accountId, change))) throw notSuspended();
    return shown(accountId);
  }

  async function suspendKey(accountId: number, keyId: string, authority: Authority) {
    const { event } = await begin(accountId, 'suspend_key', authority);
    return keys.suspendByOperator(accountId, keyId, (before, after) =>
      event({ keyId, key: before }, { keyId, key: after }),
    );
  }

  async function assignPlan(accountId: number, plan: PlanName, authority: Authority) {
    const { event } = await begin(accountId, 'assign_plan', authority);
    const replace: MeterStore['replace'] = (before, after, entries) =>
      store.replaceMeter(before, after, entries, event(planState(before), planState(after)));
    await subscriptions.assign(accountId, plan, replace);
    return shown(accountId);
  }

  /** The ledger contains the credits; the audit event contains the operator and the reason. */
  async function grant(accountId: number, credits: number, authority: Authority) {
    const { event } = await begin(accountId, 'grant_credits', authority);
    const now = clock.now();
    const grantTo = (meter: Meter) => grantCredits(meter, credits * microPerCredit, Math.floor(now / 1000));
    const replace: MeterStore['replace'] = (before, after, entries) =>
      store.replaceMeter(before, after, entries, event(creditState(before), creditState(after)));
    await metering.change(accountId, now, grantTo, replace);
    return shown(accountId);
  }

  /** The API cannot grant the operator role, which requires write access to the tables. */
  async function setRole(email: string, role: Role): Promise<void> {
    const account: Account = existing(await accounts.findByEmail(normalizedEmail(email)));
    if (account.role === role) return;
    const event = commandEvent(account, 'set_role', { before: { role: account.role }, after: { role } });
    const done = await store.setRole(account, role, event);
    if (!done) throw new ServiceError('INVALID_STATE', 'The account has changed. Try again.');
  }

  const commandEvent = (
    { id: accountId }: Account,
    action: AuditAction,
    states: Pick<AuditEvent, 'before' | 'after'>,
  ): AuditEvent => ({
    accountId,
    action,
    reason: 'node bin/operator.ts',
    at: clock.now(),
    requestId: newRequestId(random),
    ...states,
  });

  /**
   * Lets an account buy again after refunds and disputes. The payments are cleared one by one, so the event precedes
   * them. Returns the number of cleared payments.
   */
  async function clearHolds(email: string): Promise<number> {
    const account = existing(await accounts.findByEmail(normalizedEmail(email)));
    return clearHold(await parts.orders(), account.id, (holds) =>
      store.note(commandEvent(account, 'clear_hold', { before: { holds }, after: { holds: 0 } })),
    );
  }

  /**
   * Lets emails be sent to an address again. Returns whether it was blocked. An address without account has no events.
   */
  async function unblock(email: string): Promise<boolean> {
    const address = normalizedEmail(email);
    if (!(await parts.suppressions.has(address))) return false;
    const account = await accounts.findByEmail(address);
    if (!account) return parts.suppressions.lift(address);
    const event = commandEvent(account, 'unblock_mail', { before: { mail: 'blocked' }, after: { mail: 'open' } });
    return store.unblock(address, event);
  }

  return { suspend, resume, suspendKey, assignPlan, grant, setRole, clearHolds, unblock };
}

const creditState = (meter: Meter): AuditedState => ({ credits: balance(meter) / microPerCredit });

const planState = (meter: Meter): AuditedState => ({
  plan: planOfRank(meter.planRank).name,
  subscription: meter.subscription?.status ?? 'none',
  ...creditState(meter),
});

const alreadySuspended = () => new ServiceError('INVALID_STATE', 'The account is already suspended, or was deleted.');
const notSuspended = () => new ServiceError('INVALID_STATE', 'The account is not suspended, or was deleted.');

/**
 * Writes each change and its audit event in one transaction. Returns true if an earlier attempt did so. Returns false
 * if the account has changed. Throws 403 if `by` is no longer an operator.
 */
export interface OperatorStore {
  /** Returns whether the person is a member of a shared organization of this id. */
  isMember(accountId: number, userId: number): Promise<boolean>;
  suspend(event: AuditEvent): Promise<boolean>;
  resume(event: AuditEvent): Promise<boolean>;
  replaceMeter(before: Meter, after: Meter, entries: readonly LedgerEntry[], event: AuditEvent): Promise<boolean>;
  setRole(account: Account, role: Role, event: AuditEvent): Promise<boolean>;
  /** Writes only the event. */
  note(event: AuditEvent): Promise<boolean>;
  unblock(address: string, event: AuditEvent): Promise<boolean>;
}

export interface AuditReads {
  page(
    accountId: number | undefined,
    limit: number,
    cursor: string | undefined,
  ): Promise<{ events: AuditEvent[]; next: string | null }>;
}

export type EmailsOf = (accountIds: readonly number[]) => Promise<ReadonlyMap<number, string>>;

export function auditTrail(reads: AuditReads, emailsOf: EmailsOf) {
  async function list({ accountId, limit, cursor }: InferOutput<typeof AuditQuery>) {
    const { events, next } = await reads.page(accountId, limit, cursor);
    const emails = await emailsOf([...new Set(events.flatMap((event) => [event.accountId, event.by ?? []].flat()))]);
    const named = (id: number) => ({ id, email: emails.get(id) ?? null });
    return { events: events.map((event) => shown(event, named)), nextCursor: next };
  }
  return { list };
}

function shown<Named>({ at, accountId, by, ...event }: AuditEvent, named: (id: number) => Named) {
  return {
    ...event,
    at: iso(at),
    account: named(accountId),
    by: by === undefined ? null : named(by),
  };
}
