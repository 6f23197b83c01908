import { useQuery } from '@tanstack/react-query';
import * as v from 'valibot';
import { configQuery, useConfig } from './config.ts';
import { readJson } from './http/read-json.ts';
import { queryClient } from './query-client.ts';

const Clock = v.object({ now: v.pipe(v.string(), v.isoTimestamp()) });

/** How many milliseconds the service's clock is ahead: on one machine it may be months. */
const clockQuery = {
  queryKey: ['clock'],
  queryFn: async () => Date.parse((await readJson('/_local/clock', Clock)).now) - Date.now(),
  staleTime: 15_000,
};

/** Epoch milliseconds by the service's clock, as far as it is known, to show times by. */
export function useNow(): number {
  const { local } = useConfig();
  const { data: ahead = 0 } = useQuery({ ...clockQuery, enabled: local });
  return Date.now() + ahead;
}

/** Epoch milliseconds by the service's clock, to send it times it takes as future. */
export async function serverNow(): Promise<number> {
  const { local } = await queryClient.fetchQuery(configQuery);
  return Date.now() + (local ? await queryClient.fetchQuery(clockQuery) : 0);
}
