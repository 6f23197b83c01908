import { saveFile } from '../../lib/save-file.ts';
import type { Total } from '../../lib/usage.ts';
import { csvOf } from './csv.ts';
import { type Group, groupTitle } from './groups.ts';

interface UsageExport {
  readonly from: string;
  readonly to: string;
  readonly group: Group;
  readonly totals: readonly Total[];
}

/** Saves the rows of the usage table, under the names that the page shows. */
export function downloadCsv({ from, to, group, totals }: UsageExport): void {
  const lines = totals.map(({ name, calls, credits }) => [name, calls, credits]);
  const text = csvOf([[groupTitle(group), 'Calls', 'Credits'], ...lines]);
  saveFile(new Blob([text], { type: 'text/csv;charset=utf-8' }), `usage-by-${group}-${from}-to-${to}.csv`);
}
