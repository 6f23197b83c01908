import { useQuery } from '@tanstack/react-query';
import * as v from 'valibot';
import { DashboardConfig } from '#contract/dashboard-config.ts';
import { ApiError } from './api-error.ts';
import { queryClient } from './query-client.ts';

const LocalStatus = v.object({
  docsUrl: v.string(),
  demo: v.nullable(v.object({ email: v.string(), password: v.string(), apiKey: v.string() })),
});
const Clock = v.object({ now: v.pipe(v.string(), v.isoTimestamp()) });
const IdentityToken = v.object({ token: v.string() });

async function readJson<S extends v.GenericSchema>(
  address: string,
  schema: S,
  init?: RequestInit,
): Promise<v.InferOutput<S>> {
  const unreachable = new ApiError('UNREACHABLE', 'The service cannot be reached. Check the connection and try again.');
  const response = await fetch(address, init).catch(() => Promise.reject(unreachable));
  const read = v.safeParse(schema, await response.json().catch(() => undefined));
  if (!read.success) throw new ApiError('BROKEN_ANSWER', `${address} did not answer as it should.`);
  return read.output;
}

const configQuery = {
  queryKey: ['config'],
  queryFn: () => readJson('/config.json', DashboardConfig),
  staleTime: Number.POSITIVE_INFINITY,
};
/** How many milliseconds the service's clock is ahead: on one machine it may be months. */
const clockQuery = {
  queryKey: ['clock'],
  queryFn: async () => Date.parse((await readJson('/_local/clock', Clock)).now) - Date.now(),
  staleTime: 15_000,
};

/** What differs between deployments. Until it is known, as in AWS without Google. */
export function useConfig(): DashboardConfig {
  return useQuery(configQuery).data ?? { googleClientId: null, local: false };
}

/** Addresses and demo account of a service on one machine; undefined elsewhere. */
export function useLocalStatus(): v.InferOutput<typeof LocalStatus> | undefined {
  const { local } = useConfig();
  return useQuery({ queryKey: ['local'], queryFn: () => readJson('/_local/status', LocalStatus), enabled: local }).data;
}

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

/** Signs an identity token in Google's place; on one machine only. */
export async function localIdentityToken(person: { email: string; name: string }): Promise<string> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(person) };
  return (await readJson('/_local/identity-token', IdentityToken, init)).token;
}
