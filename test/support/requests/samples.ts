import type { Route } from '#contract/http/route.ts';
import { samples } from '#contract/samples.ts';

/** A valid request for the route: its address with parameters and query, and its body. */
export function sampleOf(route: Route): { path: string; body: unknown } {
  const { path = {}, query, body, file } = samples[route.id] ?? {};
  const filled = route.path.replaceAll(
    /\{(\w+)\}/g,
    (_, name: string) => path[name] ?? `no sample for ${name} of ${route.id}`,
  );
  if (route.bodyInput && body === undefined) throw new Error(`no sample body for ${route.id}`);
  return {
    path: query ? `${filled}?${String(new URLSearchParams(query))}` : filled,
    body: file === undefined ? body : formOf(file, Object(body)),
  };
}

/** The client sets the content type, which contains the boundary. */
function formOf(file: string, fields: Readonly<Record<string, string>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('file', new Blob([Buffer.from(file, 'base64')]), 'sample.wav');
  return form;
}
