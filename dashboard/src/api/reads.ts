import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { accountRoutes } from '#contract/routes/accounts.ts';
import { creditRoutes } from '#contract/routes/credits.ts';
import { keyRoutes } from '#contract/routes/keys.ts';
import { signInRoutes } from '#contract/routes/sign-in.ts';
import { subscriptionRoutes } from '#contract/routes/subscriptions.ts';
import { loadCurrentUser, loadMember } from './account/account.ts';
import { call } from './call.ts';
import { listKeys } from './keys/key-list.ts';
import { useData } from './use-data.ts';

interface ReadOptions {
  readonly enabled?: boolean;
}

const meKey = [accountRoutes.me.id, {}];

export const useMe = ({ enabled = true }: ReadOptions = {}) =>
  useQuery({ queryKey: meKey, queryFn: ({ signal }) => loadCurrentUser({ signal }), enabled });
/** The signed-in user, null without a session; not kept beyond the page, as a sign-in may follow. */
export const useMember = ({ enabled = true }: ReadOptions = {}) =>
  useQuery({
    queryKey: ['member'],
    queryFn: async ({ signal, client }) => {
      const user = await loadMember({ signal });
      if (user) client.setQueryData(meKey, user);
      return user;
    },
    enabled,
    gcTime: 0,
  });
export const useKeys = (options?: ReadOptions) => useData(listKeys, {}, options);
export const usePlans = () => useData(subscriptionRoutes.listPlans, {});
export const useSubscription = () => useData(subscriptionRoutes.getSubscription, {});
export const useSessions = () => useData(signInRoutes.listSessions, {});
interface UsageRange {
  readonly from?: string;
  readonly to?: string;
}

/** Usage by day and group, all pages of it; without a range of the last 30 days. Shows the previous range until the new one is loaded. */
export const useUsage = (group: 'service' | 'model' | 'key', range: UsageRange = {}) =>
  useQuery({
    queryKey: [creditRoutes.getUsage.id, group, range],
    queryFn: async ({ signal }) => {
      const query = { ...range, group };
      let page = await call(creditRoutes.getUsage, { query }, { signal });
      const days = [...page.days];
      while (page.nextCursor !== undefined) {
        page = await call(creditRoutes.getUsage, { query: { ...query, cursor: page.nextCursor } }, { signal });
        days.push(...page.days);
      }
      return { from: page.from, to: page.to, group, days };
    },
    placeholderData: keepPreviousData,
  });
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
