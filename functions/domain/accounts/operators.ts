import { planOfRank } from '#contract/billing/plans.ts';
import { microPerCredit } from '#contract/billing/prices.ts';
import type { SubscriptionService } from '../billing/subscriptions.ts';
import type { KeyService } from '../keys/key-service.ts';
import { grantCredits } from '../meter/billing.ts';
import type { Metering } from '../meter/metering.ts';
import type { Clock } from '../shared/ports.ts';
import { ServiceError } from '../shared/service-error.ts';
import { type Account, normalizedEmail, type Role } from './account.ts';
import type { AccountStore } from './account-store.ts';
import type { ClosureStore } from './closure-store.ts';

/** What an operator did to an account, and why. `at` in epoch ms; `by` the operator's account. */
export interface Act {
  readonly accountId: number;
  readonly act: 'suspend' | 'resume' | 'suspend key' | 'assign plan' | 'grant credits';
  readonly by: number;
  readonly reason: string;
  readonly at: number;
  readonly requestId: string;
}

/** Rows that are never changed. */
export interface AuditStore {
  append(act: Act): Promise<void>;
}

/** Who acts, why, and by which request. */
export type Authority = Pick<Act, 'by' | 'reason' | 'requestId'>;

/** What operators may do to other people's accounts. Each act is written down before it is done. */
export function operatorService(
  accounts: AccountStore,
  closures: ClosureStore,
  keys: KeyService,
  metering: Metering,
  subscriptions: SubscriptionService,
  audit: AuditStore,
  clock: Clock,
) {
  async function find(email: string) {
    return shown(existing(await accounts.findByEmail(normalizedEmail(email))));
  }

  async function acting(accountId: number, act: Act['act'], authority: Authority): Promise<Account> {
    const account = existing(await accounts.find(accountId));
    if (account.deletedAt !== undefined) throw new ServiceError('INVALID_STATE', 'The account is deleted.');
    await audit.append({ accountId, act, ...authority, at: clock.now() });
    return account;
  }

  async function again(accountId: number) {
    return shown(existing(await accounts.find(accountId)));
  }

  async function suspend(accountId: number, authority: Authority) {
    await acting(accountId, 'suspend', authority);
    await closures.suspend(accountId, clock.now());
    return again(accountId);
  }

  async function resume(accountId: number, authority: Authority) {
    await acting(accountId, 'resume', authority);
    await closures.resume(accountId);
    return again(accountId);
  }

  async function suspendKey(accountId: number, keyId: string, authority: Authority) {
    await acting(accountId, 'suspend key', authority);
    return keys.suspendByOperator(accountId, keyId);
  }

  async function assignPlan(accountId: number, planName: string, authority: Authority) {
    await acting(accountId, 'assign plan', authority);
    await subscriptions.assign(accountId, planName);
    return again(accountId);
  }

  /** The ledger's row carries the credits; the audit row who gave them and why. */
  async function grant(accountId: number, credits: number, authority: Authority) {
    await acting(accountId, 'grant credits', authority);
    const now = clock.now();
    await metering.change(accountId, now, (meter) =>
      grantCredits(meter, credits * microPerCredit, Math.floor(now / 1000)),
    );
    return again(accountId);
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
