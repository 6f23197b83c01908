import type { creditRoutes } from '#contract/routes/billing/credits.ts';
import type { Data } from '../../api/http/response.ts';
import { saveFile } from '../../lib/save-file.ts';
import type { UsageRow } from '../../lib/usage.ts';
import { csvOf } from './csv.ts';

/** Saves the usage with nothing summed: a line per day, service, model and key. */
export function downloadCsv(
  { from, to, days }: Data<typeof creditRoutes.getUsage>,
  keyName: (row: UsageRow) => string,
): void {
  const lines = days.map((row) => [row.date, row.service ?? '', row.model ?? '', keyName(row), row.calls, row.credits]);
  const text = csvOf([['date', 'service', 'model', 'key', 'calls', 'credits'], ...lines]);
  saveFile(new Blob([text], { type: 'text/csv;charset=utf-8' }), `usage-${from}-to-${to}.csv`);
}
