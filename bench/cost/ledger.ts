import { type Line, listPrices } from './cost.ts';

/** Storage is per GB-month. */
const prices = {
  ...listPrices,
  recoveryGb: 0.2,
  tableBackupGb: 0.1,
  bucketBackupGb: 0.05,
  /** Copy to a vault in another region. */
  transferGb: 0.02,
  /** Objects move from the tier of frequent access to cheaper ones after 30 and 90 days. */
  objectMonitored: 2.5 / 1e6,
} as const;

/**
 * Bytes of a call's row, measured by test/perf/ledger-archive.test.ts: in the table, without the 100 that DynamoDB adds
 * to each item, and in the archive.
 */
export const rowBytes = { table: 170, archive: 45 } as const;
const itemOverheadBytes = 100;

/** Mean days of a row in the table: its month is archived 35 days after it ends. */
const openDays = 35 + 365 / 12 / 2;

/** Retention in days of copies in the stage's own vault, and of copies elsewhere (`backup.days`). */
const copies = { here: 7, elsewhere: 35 } as const;

/** Maximum archived rows that the archiver deletes per second. */
const deletedPerSecond = 750;

interface LedgerLoad {
  readonly callsPerDay: number;
  readonly accounts: number;
}

const GB = 1e9;
const gbOf = (rows: number, bytes: number): number => (rows * bytes) / GB;

/** Yearly cost of a table with this many rows on average. */
function tableLines(rows: number): Line[] {
  const gb = gbOf(rows, rowBytes.table + itemOverheadBytes);
  return [
    { item: 'Rows in the table', usd: 12 * gb * prices.tableGb },
    { item: 'Point-in-time recovery', usd: 12 * gb * prices.recoveryGb },
    {
      item: 'Daily copies of the table (`backup`)',
      usd: 12 * gb * (copies.here + copies.elsewhere) * prices.tableBackupGb,
    },
    { item: 'Transfer of these copies', usd: 365 * gb * prices.transferGb },
  ];
}

/** Storage of the ledger's rows in the given year of a service (1: the first), if all stay in the table. */
const ledgerWithoutArchive = ({ callsPerDay }: LedgerLoad, year: number): readonly Line[] =>
  tableLines(365 * callsPerDay * (year - 0.5));

/** Like `ledgerWithoutArchive`, with the archive. */
function ledgerWithArchive({ callsPerDay, accounts }: LedgerLoad, year: number): readonly Line[] {
  const rows = 365 * callsPerDay;
  const parts = 12 * accounts * Math.ceil(rows / 12 / accounts / 5000);
  const archivedGb = gbOf(rows * (year - 0.5), rowBytes.archive);
  // The index entry and `through` are written in one transaction. Rows are read twice: whole to archive them, and their
  // keys to delete them.
  const unitsPerPart = 2 * 2;
  const readUnits = (2 * rows * rowBytes.table) / 4096;
  return [
    ...tableLines(openDays * callsPerDay),
    { item: 'Deletion of archived rows, a write unit each', usd: rows * prices.writeUnit },
    {
      item: 'Archiver: reads, objects and their index, function',
      usd:
        readUnits * prices.readUnit +
        parts * (prices.objectWrite + unitsPerPart * prices.writeUnit) +
        (rows / deletedPerSecond) * 0.5 * prices.functionGbSecond,
    },
    {
      item: 'Archive in S3',
      usd: 12 * (archivedGb * prices.objectGb + parts * (year - 0.5) * prices.objectMonitored),
    },
    {
      item: 'Backups of the archive, each object once in both vaults (`backup`)',
      usd: 12 * archivedGb * 2 * prices.bucketBackupGb,
    },
    { item: 'Transfer of new objects', usd: gbOf(rows, rowBytes.archive) * prices.transferGb },
  ];
}

/** Rows of docs/deploy.md: lines of both bills, in the first and the third year. */
export function ledgerTable(load: LedgerLoad): string {
  const bills = [1, 3].flatMap((year) => [ledgerWithoutArchive(load, year), ledgerWithArchive(load, year)]);
  const names = (bills[1] ?? []).map(({ item }) => item);
  const usdOf = (bill: readonly Line[], name: string) => bill.find(({ item }) => item === name)?.usd;
  const dollars = (usd: number | undefined) => (usd === undefined ? '' : Math.round(usd).toLocaleString('en-US'));
  const rows = names.map((name) => [name, ...bills.map((bill) => dollars(usdOf(bill, name)))]);
  const sums = bills.map((bill) => dollars(bill.reduce((sum, { usd }) => sum + usd, 0)));
  return [...rows, ['**Sum**', ...sums]].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
