import { addRow, emptyTally, type LedgerAmounts, missingRow, wrongSums } from '#domain/billing/ledger.ts';

/** Compares rows, oldest first, with a meter. Returns the gaps, wrong balances and a wrong sum. */
export function auditLedger(rows: readonly LedgerAmounts[], seq: number, balance: number): string[] {
  const gap = rows.find((row, index) => row.seq !== index + 1);
  if (gap) return [missingRow(rows.indexOf(gap) + 1, gap.seq)];
  const tally = rows.reduce(addRow, emptyTally);
  const isShort = rows.length !== seq;
  return [
    ...wrongSums(tally, balance),
    ...(isShort ? [`the meter has counted ${seq} entries, the ledger has ${rows.length} rows`] : []),
  ];
}
