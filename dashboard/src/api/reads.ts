import { useQuery } from '@tanstack/react-query';
import { accountRoutes } from '#contract/routes/accounts.ts';
import { creditRoutes } from '#contract/routes/credits.ts';
import { keyRoutes } from '#contract/routes/keys.ts';
import { subscriptionRoutes } from '#contract/routes/subscriptions.ts';
import { loadCurrentUser } from './account.ts';
import { listKeys } from './key-list.ts';
import { useData } from './use-data.ts';

export const useMe = () =>
  useQuery({ queryKey: [accountRoutes.me.id, {}], queryFn: ({ signal }) => loadCurrentUser({ signal }) });
export const useKeys = () => useData(listKeys, {});
export const usePlans = () => useData(subscriptionRoutes.listPlans, {});
export const useSubscription = () => useData(subscriptionRoutes.getSubscription, {});
export const useSessions = () => useData(accountRoutes.listSessions, {});
/** Balance and grants; of the ledger only the newest row, as its page reads its own. */
export const useCredits = () => useData(creditRoutes.getCredits, { query: { limit: '1' } });

/** What a change of plan changes. */
export const planReads = [subscriptionRoutes.getSubscription, creditRoutes.getCredits, accountRoutes.me] as const;
/** What a call with a key changes. */
export const spendingReads = [
  creditRoutes.getCredits,
  creditRoutes.getUsage,
  creditRoutes.listRequests,
  subscriptionRoutes.getSubscription,
  keyRoutes.listKeys,
] as const;
