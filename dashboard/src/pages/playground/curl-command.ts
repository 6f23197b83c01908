import type { SentRequest } from './use-exchange.ts';

/** The same request for a terminal; the key is the reader's own. */
export function curlCommand(origin: string, { route, body }: SentRequest): string {
  const quoted = JSON.stringify(body, undefined, 2).replaceAll("'", String.raw`'\''`);
  return `curl -N ${origin}${route.path} \\
  -H "Authorization: Bearer $API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '${quoted}'`;
}
