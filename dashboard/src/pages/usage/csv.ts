import { saveFile } from '../../lib/files.ts';
import type { Total } from '../../lib/usage.ts';
import { type Grouping, groupTitles } from './data.ts';

interface UsageExport {
  readonly from: string;
  readonly to: string;
  readonly group: Grouping;
  readonly totals: readonly Total[];
}

/** Downloads the usage table as CSV, with the names shown on the page. */
export function downloadCsv({ from, to, group, totals }: UsageExport): void {
  const lines = totals.map(({ name, calls, credits, tokens: { input, cached, output } }) => {
    return [name, calls, credits, input, cached, output];
  });
  const titles = [groupTitles[group], 'Calls', 'Credits', 'Input tokens', 'Cached input tokens', 'Output tokens'];
  const text = csvOf([titles, ...lines]);
  saveFile(new Blob([text], { type: 'text/csv;charset=utf-8' }), `usage-by-${group}-${from}-to-${to}.csv`);
}

/** CSV (RFC 4180). An apostrophe before text that a spreadsheet would run as a formula (OWASP, "CSV Injection"). */
function csvOf(rows: readonly (readonly (string | number)[])[]): string {
  return `${rows.map((row) => row.map(field).join(',')).join('\r\n')}\r\n`;
}

function field(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
