import { useQuery } from '@tanstack/react-query';
import * as v from 'valibot';
import { useConfig } from './config.ts';
import { readJson } from './http/read-json.ts';

const LocalStatus = v.object({
  docsUrl: v.string(),
  demo: v.nullable(v.object({ email: v.string(), password: v.string(), apiKey: v.string() })),
});
const IdentityToken = v.object({ token: v.string() });

/** URLs and demo account of a service on one machine; undefined elsewhere. */
export function useLocalStatus(): v.InferOutput<typeof LocalStatus> | undefined {
  const { local } = useConfig();
  return useQuery({ queryKey: ['local'], queryFn: () => readJson('/_local/status', LocalStatus), enabled: local }).data;
}

/** Signs an identity token in Google's place; on one machine only. */
export async function localIdentityToken(person: { email: string; name: string }): Promise<string> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(person) };
  return (await readJson('/_local/identity-token', IdentityToken, init)).token;
}
