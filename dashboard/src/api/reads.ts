import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { findPlan, smallestWith } from '#contract/billing/plans.ts';
import type { PlanFeature } from '#contract/offer/offer.ts';
import { isSold, type Service } from '#contract/offered-services.ts';
import { accountRoutes } from '#contract/routes/accounts.ts';
import { creditRoutes } from '#contract/routes/credits.ts';
import { keyRoutes } from '#contract/routes/keys.ts';
import { signInRoutes } from '#contract/routes/sign-in.ts';
import { subscriptionRoutes } from '#contract/routes/subscriptions.ts';
import { browserZone } from '../lib/format.ts';
import { call, type Input, loadCurrentUser, loadMember } from './call.ts';
import { useNow } from './config.ts';
import { listKeys } from './keys.ts';
import type { Data, DataRoute } from './response.ts';

interface ReadOptions {
  readonly enabled?: boolean;
  /** Shows the previous input's data until the new input's is loaded. */
  readonly keep?: boolean;
}

/** Reads the data of a route. It is cached under the route's id and the input. */
export function useData<R extends DataRoute>(
  route: R,
  input: Input<R>,
  { enabled = true, keep = false }: ReadOptions = {},
): UseQueryResult<Data<R>> {
  return useQuery({
    queryKey: [route.id, input],
    queryFn: ({ signal }): Promise<Data<R>> => call(route, input, { signal }),
    enabled,
    ...(keep && { placeholderData: keepPreviousData }),
  });
}

const meKey = [accountRoutes.me.id, {}];

export const useMe = ({ enabled = true }: Pick<ReadOptions, 'enabled'> = {}) =>
  useQuery({ queryKey: meKey, queryFn: ({ signal }) => loadCurrentUser({ signal }), enabled });

/**
 * The signed-in user, or null without a session. The cache entry is dropped on leaving the page, because a sign-in may
 * follow.
 */
export const useMember = ({ enabled = true }: Pick<ReadOptions, 'enabled'> = {}) =>
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
export const useSubscription = (options?: ReadOptions) => useData(subscriptionRoutes.getSubscription, {}, options);
export const useSessions = () => useData(signInRoutes.listSessions, {});

interface UsageRange {
  readonly from?: string;
  readonly to?: string;
}

/** Interval for reading usage again while the latest calls are missing, in ms. */
const behindPollMs = 1000;

/**
 * All pages of usage by the browser's day and group, by default of the last 30 days. Shows the previous range until the
 * new one is loaded.
 */
export const useUsage = (group: 'service' | 'model' | 'key', range: UsageRange = {}) =>
  useQuery({
    queryKey: [creditRoutes.getUsage.id, group, range],
    queryFn: async ({ signal }) => {
      const query = { ...range, group, timezone: browserZone() };
      let page = await call(creditRoutes.getUsage, { query }, { signal });
      const days = [...page.days];
      let { utcThrough } = page;
      while (page.nextCursor !== undefined) {
        page = await call(creditRoutes.getUsage, { query: { ...query, cursor: page.nextCursor } }, { signal });
        days.push(...page.days);
        utcThrough = page.utcThrough ?? utcThrough;
      }
      const { from, to, timezone, isBehind } = page;
      return { from, to, timezone, utcThrough, isBehind, group, days };
    },
    refetchInterval: ({ state }) => (state.data?.isBehind ? behindPollMs : false),
    placeholderData: keepPreviousData,
  });

/** Balance and grants. Reads only the newest row of the ledger. */
export const useCredits = () => useData(creditRoutes.getCredits, { query: { limit: '1' } });

/** Reads that a change of plan invalidates. */
export const planReads = [subscriptionRoutes.getSubscription, creditRoutes.getCredits, accountRoutes.me] as const;
/** Reads that a call with a key invalidates. */
export const spendingReads = [
  creditRoutes.getCredits,
  creditRoutes.getUsage,
  creditRoutes.getLimits,
  creditRoutes.listRequests,
  subscriptionRoutes.getSubscription,
  keyRoutes.listKeys,
] as const;

/** Whether the plan includes a feature; a cancelled plan until its paid period ends. Undefined while loading. */
export function useHasFeature(feature: PlanFeature, { enabled = true } = {}): boolean | undefined {
  const { data: subscription } = useSubscription({ enabled });
  const now = useNow();
  if (subscription === undefined) return undefined;
  if (subscription === null) return false;
  const { planId, endsAt, terms } = subscription;
  const isOver = endsAt !== undefined && Date.parse(endsAt) <= now;
  const isKept = terms?.features.includes(feature) ?? false;
  return !isOver && (isKept || (findPlan(planId)?.rank ?? 0) >= smallestWith[feature].id);
}

/** Services that are sold, or that the plan of a signed-in account still includes. */
export function useIsOffered(isMember: boolean): (service: Service) => boolean {
  // Only a plan on older terms can have a feature that is not sold.
  const hasMessages = useHasFeature('messages', { enabled: isMember && !isSold.messages });
  const hasWebhooks = useHasFeature('webhooks', { enabled: isMember && !isSold.webhooks });
  const has: Readonly<Partial<Record<Service, boolean | undefined>>> = isMember
    ? { messages: hasMessages, webhooks: hasWebhooks }
    : {};
  return (service) => isSold[service] || has[service] === true;
}
