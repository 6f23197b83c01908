import type { Sent } from './use-exchange.ts';

const longest = 20_000;

/** An answer's JSON to be read by people: numbers of vectors after the first few are left out. */
export function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), shortened, 2);
  } catch {
    return text.length > longest ? `${text.slice(0, longest)}…` : text;
  }
}

const shownNumbers = 6;

function shortened(_: string, value: unknown): unknown {
  if (!Array.isArray(value) || value.length <= shownNumbers || typeof value[0] !== 'number') return value;
  return [...value.slice(0, shownNumbers), `… ${value.length - shownNumbers} more`];
}

/** The same request for a terminal; the key is the reader's own. */
export function asCurl(origin: string, { route, body }: Sent): string {
  const quoted = JSON.stringify(body, undefined, 2).replaceAll("'", String.raw`'\''`);
  return `curl -N ${origin}${route.path} \\
  -H "Authorization: Bearer $API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '${quoted}'`;
}
