import type { InferOutput } from 'valibot';
import { planOfRank } from '#contract/billing/plans.ts';
import type { AccountQuery } from '#contract/operators/accounts.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import { type Account, normalizedEmail } from '../accounts/account.ts';
import type { Meter } from '../meter/meter.ts';
import type { Metering } from '../meter/metering.ts';
import { accountOfKey } from '../shared/credential.ts';
import type { Clock } from '../shared/ports.ts';
import { ServiceError } from '../shared/service-error.ts';

/** An account as operators find it. */
export function operatedAccount(account: Account, { planRank }: Meter) {
  const { id, email, name, role, createdAt } = account;
  const created_at = new Date(createdAt).toISOString();
  return { id, email, name, role, status: statusOf(account), plan: planOfRank(planRank).name, created_at };
}

export function existing(account: Account | undefined): Account {
  if (!account) throw new ServiceError('NOT_FOUND', 'There is no such account.');
  return account;
}

/** Finds accounts for operators, each by a read or two of its own item: no search goes over the table. */
export function accountSearch(accounts: AccountStore, metering: Metering, clock: Clock) {
  async function found({ email, id, keyPrefix }: InferOutput<typeof AccountQuery>): Promise<Account | undefined> {
    if (email !== undefined) return accounts.findByEmail(normalizedEmail(email));
    const accountId = id ?? accountOfKey(keyPrefix ?? '');
    return accountId === undefined ? undefined : accounts.find(accountId);
  }

  async function find(query: InferOutput<typeof AccountQuery>) {
    const account = existing(await found(query));
    return operatedAccount(account, await metering.current(account.id, clock.now()));
  }
  return { find };
}

function statusOf({ deletedAt, suspendedAt }: Account): 'active' | 'suspended' | 'deleted' {
  if (deletedAt !== undefined) return 'deleted';
  return suspendedAt === undefined ? 'active' : 'suspended';
}
