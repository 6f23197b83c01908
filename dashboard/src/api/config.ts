import { useQuery } from '@tanstack/react-query';
import { type PlanTable, type Plans, plansOf } from '#contract/billing/plans.ts';
import { DashboardConfig } from '#contract/dashboard-config.ts';
import { readJson } from './http/read-json.ts';

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
};

/** What differs between deployments. Until it is loaded, as in AWS without Google. */
export function useConfig(): DashboardConfig {
  return useQuery(configQuery).data ?? beforeLoad;
}

const enforced: Readonly<Record<PlanTable, Plans>> = { listing: plansOf('listing'), overview: plansOf('overview') };

/** The limits of each plan, as the deployment enforces them. */
export const usePlanLimits = (): Plans => enforced[useConfig().planTable];
