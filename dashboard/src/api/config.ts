import { useQuery } from '@tanstack/react-query';
import { DashboardConfig } from '#contract/dashboard-config.ts';
import { readJson } from './http/read-json.ts';

export const configQuery = {
  queryKey: ['config'],
  queryFn: () => readJson('/config.json', DashboardConfig),
  staleTime: Number.POSITIVE_INFINITY,
};

/** What differs between deployments. Until it is loaded, as in AWS without Google. */
export function useConfig(): DashboardConfig {
  return useQuery(configQuery).data ?? { googleClientId: null, local: false, demoSpeechFormats: null };
}
