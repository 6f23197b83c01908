import type { Route } from '#contract/http/route.ts';
import { samples } from '#contract/samples.ts';

/** A valid request for the route: its address with parameters and query, and its body. */
export function sampleOf(route: Route): { path: string; body: unknown } {
  const { path = {}, query, body } = samples[route.id] ?? {};
  const filled = route.path.replaceAll(
    /\{(\w+)\}/g,
    (_, name: string) => path[name] ?? `no sample for ${name} of ${route.id}`,
  );
  if (route.bodyInput && body === undefined) throw new Error(`no sample body for ${route.id}`);
  return { path: query ? `${filled}?${String(new URLSearchParams(query))}` : filled, body };
}
