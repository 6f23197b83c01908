import { planOfRank } from '#contract/billing/plans.ts';
import { microPerCredit } from '#contract/billing/prices.ts';
import type { SubscriptionService } from '../billing/subscriptions.ts';
import type { KeyService } from '../keys/key-service.ts';
import { grantCredits } from '../meter/billing.ts';
import type { Metering } from '../meter/metering.ts';
import type { Clock } from '../shared/ports.ts';
import { ServiceError } from '../shared/service-error.ts';
import { type Account, normalizedEmail, type Role } from './account.ts';
import type { AccountDeletionStore } from './account-deletion-store.ts';
import type { AccountStore } from './account-store.ts';

/** What an operator did to an account, and why. `at` in epoch ms; `by` the operator's account. */
export interface AuditEvent {
  readonly accountId: number;
  readonly action: 'suspend' | 'resume' | 'suspend key' | 'assign plan' | 'grant credits';
  readonly by: number;
  readonly reason: string;
  readonly at: number;
  readonly requestId: string;
}

/** Rows that are never changed. */
export interface AuditStore {
  append(event: AuditEvent): Promise<void>;
}

/** Who acts, why, and by which request. */
export type Authority = Pick<AuditEvent, 'by' | 'reason' | 'requestId'>;

/** What operators may do to other people's accounts. Each action is recorded before it is done. */
export function operatorService(
  accounts: AccountStore,
  deletions: AccountDeletionStore,
  keys: KeyService,
  metering: Metering,
  subscriptions: SubscriptionService,
  audit: AuditStore,
  clock: Clock,
) {
  async function find(email: string) {
    return shown(existing(await accounts.findByEmail(normalizedEmail(email))));
  }

  async function recorded(accountId: number, action: AuditEvent['action'], authority: Authority): Promise<Account> {
    const account = existing(await accounts.find(accountId));
    if (account.deletedAt !== undefined) throw new ServiceError('INVALID_STATE', 'The account is deleted.');
    await audit.append({ accountId, action, ...authority, at: clock.now() });
    return account;
  }

  async function reread(accountId: number) {
    return shown(existing(await accounts.find(accountId)));
  }

  async function suspend(accountId: number, authority: Authority) {
    await recorded(accountId, 'suspend', authority);
    await deletions.suspend(accountId, clock.now());
    return reread(accountId);
  }

  async function resume(accountId: number, authority: Authority) {
    await recorded(accountId, 'resume', authority);
    await deletions.resume(accountId);
    return reread(accountId);
  }

  async function suspendKey(accountId: number, keyId: string, authority: Authority) {
    await recorded(accountId, 'suspend key', authority);
    return keys.suspendByOperator(accountId, keyId);
  }

  async function assignPlan(accountId: number, planName: string, authority: Authority) {
    await recorded(accountId, 'assign plan', authority);
    await subscriptions.assign(accountId, planName);
    return reread(accountId);
  }

  /** The ledger's row carries the credits; the audit row who gave them and why. */
  async function grant(accountId: number, credits: number, authority: Authority) {
    await recorded(accountId, 'grant credits', authority);
    const now = clock.now();
    await metering.change(accountId, now, (meter) =>
      grantCredits(meter, credits * microPerCredit, Math.floor(now / 1000)),
    );
    return reread(accountId);
  }

  async function setRole(email: string, role: Role): Promise<void> {
    const account = existing(await accounts.findByEmail(normalizedEmail(email)));
    await accounts.setRole(account.id, role);
  }

  async function shown(account: Account) {
    const { planRank } = await metering.current(account.id, clock.now());
    const { id, email, name, role, createdAt } = account;
    const created_at = new Date(createdAt).toISOString();
    return { id, email, name, role, status: statusOf(account), plan: planOfRank(planRank).name, created_at };
  }

  return { find, suspend, resume, suspendKey, assignPlan, grant, setRole };
}

function existing(account: Account | undefined): Account {
  if (!account) throw new ServiceError('NOT_FOUND', 'There is no such account.');
  return account;
}

function statusOf({ deletedAt, suspendedAt }: Account): 'active' | 'suspended' | 'deleted' {
  if (deletedAt !== undefined) return 'deleted';
  return suspendedAt === undefined ? 'active' : 'suspended';
}
