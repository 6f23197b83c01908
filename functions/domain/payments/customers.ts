import type { Account } from '../accounts/account.ts';
import type { Metering } from '../meter/metering.ts';
import { type OrderStore, changeProfile } from './order.ts';
import type { PaymentProvider } from './provider.ts';

export interface CustomerParts {
  readonly store: OrderStore;
  readonly provider: PaymentProvider;
  readonly metering: Metering;
  readonly findAccount: (accountId: number) => Promise<Account | undefined>;
}

/**
 * Keeps the provider's customer consistent with its account: it has the account's email address, and is deleted once
 * the account is purged. Orders keep the customer's id, because disputes can follow months later.
 */
export function customers({ store, provider, metering, findAccount }: CustomerParts) {
  /** Returns false if the account was purged. */
  return async function sync(accountId: number): Promise<boolean> {
    const [{ customer }, account] = await Promise.all([store.profile(accountId), findAccount(accountId)]);
    if (account) {
      if (customer !== undefined && account.deletedAt === undefined) await provider.setEmail(customer, account.email);
      return true;
    }
    if (await metering.find(accountId)) return true;
    if (customer !== undefined) {
      await provider.deleteCustomer(customer);
      await changeProfile(store, accountId, () => ({ topUp: undefined, alignAt: undefined }));
    }
    await store.removeLinks(accountId);
    return false;
  };
}
