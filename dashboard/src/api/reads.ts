import { useQuery } from '@tanstack/react-query';
import { routes } from '#contract/routes.ts';
import { loadCurrentUser } from './account.ts';
import { listKeys } from './key-list.ts';
import { useData } from './use-data.ts';

export const useMe = () =>
  useQuery({ queryKey: [routes.me.id, {}], queryFn: ({ signal }) => loadCurrentUser({ signal }) });
export const useKeys = () => useData(listKeys, {});
export const usePlans = () => useData(routes.listPlans, {});
export const useSubscription = () => useData(routes.getSubscription, {});
export const useSessions = () => useData(routes.listSessions, {});
/** Balance and grants; of the ledger only the newest row, as its page reads its own. */
export const useCredits = () => useData(routes.getCredits, { query: { limit: '1' } });

/** What a change of plan changes. */
export const planReads = [routes.getSubscription, routes.getCredits, routes.me] as const;
/** What a call with a key changes. */
export const spendingReads = [
  routes.getCredits,
  routes.getUsage,
  routes.listRequests,
  routes.getSubscription,
  routes.listKeys,
] as const;
