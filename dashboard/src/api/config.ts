import { useQuery } from '@tanstack/react-query';
import * as v from 'valibot';
import { type Plans, plansOf, type PlanTable } from '#contract/billing/plans.ts';
import { DashboardConfig } from '#contract/dashboard-config.ts';
import { packs } from '#contract/payments/payments.ts';
import { queryClient } from './query-client.ts';
import { readJson } from './response.ts';

export const configQuery = {
  queryKey: ['config'],
  queryFn: () => readJson('/config.json', DashboardConfig),
  staleTime: Number.POSITIVE_INFINITY,
};

const beforeLoad: DashboardConfig = {
  googleClientId: null,
  local: false,
  demoSpeechFormats: null,
  planTable: 'listing',
  salesEmail: null,
  payments: false,
  storePrompts: false,
};

/** Settings of the deployment. Until they are loaded, the defaults of AWS without Google sign-in. */
export function useConfig(): DashboardConfig {
  return useQuery(configQuery).data ?? beforeLoad;
}

/** Whether credits can be bought. */
export const useSellsCredits = (): boolean => useConfig().payments && packs.length > 0;

const enforced: Readonly<Record<PlanTable, Plans>> = { listing: plansOf('listing'), overview: plansOf('overview') };

/** The limits of each plan that the deployment enforces. */
export const usePlanLimits = (): Plans => enforced[useConfig().planTable];

const Clock = v.object({ now: v.pipe(v.string(), v.isoTimestamp()) });

/** Milliseconds by which the service's clock is ahead. A local service can be months ahead. */
const clockQuery = {
  queryKey: ['clock'],
  queryFn: async () => Date.parse((await readJson('/_local/clock', Clock)).now) - Date.now(),
  staleTime: 15_000,
};

/** Epoch milliseconds by the service's clock, or by the browser's until that is known. For display. */
export function useNow(): number {
  const { local } = useConfig();
  const { data: ahead = 0 } = useQuery({ ...clockQuery, enabled: local });
  return Date.now() + ahead;
}

/** Epoch milliseconds by the service's clock. For times in requests that must be in the future. */
export async function serverNow(): Promise<number> {
  const { local } = await queryClient.fetchQuery(configQuery);
  return Date.now() + (local ? await queryClient.fetchQuery(clockQuery) : 0);
}
