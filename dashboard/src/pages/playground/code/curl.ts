import { jsonLiteral } from './literals.ts';

/** Between single quotes a shell takes everything as it is, but for the quote that ends them. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** A request for a terminal; the key is the reader's own. */
export function curlCommand(
  origin: string,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): string {
  const more = Object.entries(headers).map(([name, value]) => `  -H ${shellQuoted(`${name}: ${value}`)} \\\n`);
  return `curl -sN ${shellQuoted(origin + path)} \\
  -H "Authorization: Bearer $API_KEY" \\
  -H 'Content-Type: application/json' \\
${more.join('')}  -d ${shellQuoted(jsonLiteral(body))}`;
}
