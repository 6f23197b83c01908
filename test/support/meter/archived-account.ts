import { type DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { tables } from '#contract/platform/resources.ts';
import { ledgerArchiver } from '#domain/billing/archive.ts';
import type { LedgerRow } from '#domain/billing/ledger.ts';
import { archiveStore } from '#repositories/billing/archive.ts';
import { useTestDatabase } from '../database/database.ts';
import { type LedgerAccount, openLedgerAccount } from './ledger-account.ts';
import { startArchive } from './ledger-archive.ts';
import { credits } from './meters.ts';

const day = 86_400;

/** Small, so that a month has several parts. */
export const partRows = 3;

export const never = new AbortController().signal;

export type ArchivedAccount = Awaited<ReturnType<typeof openArchivedAccount>>;

interface Stores {
  readonly database: { readonly client: DynamoDBDocumentClient; readonly url: string };
  readonly archive: Awaited<ReturnType<typeof startArchive>>;
}

/** An account whose ledger is archived on demand, in parts of three rows. */
export async function openArchivedAccount({ database, archive }: Stores) {
  const account: LedgerAccount = await openLedgerAccount(database.url, { files: archive.files });

  /** Simulates months with a few calls each and their renewals. */
  async function live(months: number): Promise<void> {
    for (let month = 0; month < months; month++) {
      for (const cost of [3, 5, 7]) await account.call(credits(10), credits(cost));
      await account.project();
      account.clock.seconds += 31 * day;
      await account.current();
    }
    await account.project();
  }

  const archiver = (client = database.client, files = archive.files) =>
    ledgerArchiver(archiveStore(client, tables.ledger.name, files), partRows);
  const archiveNow = () => archiver().archive(account.id, account.clock.now(), never);

  /** The `seq` of the rows in the table, oldest first. */
  const inTable = async (): Promise<number[]> => (await account.rows(Number.MAX_SAFE_INTEGER)).map(({ seq }) => seq);

  /** All pages of the history, newest row first. */
  async function history(limit = 4): Promise<LedgerRow[]> {
    const rows: LedgerRow[] = [];
    for (let before: number | null = Number.MAX_SAFE_INTEGER; before !== null;) {
      const page = await account.history(limit, before);
      rows.push(...page.rows);
      before = page.next;
    }
    return rows;
  }

  return { account, live, archiver, archiveNow, inTable, history };
}

/** An archive and a database before the tests of a file, and a new account with an archived ledger before each test. */
export function useArchivedAccount() {
  const database = useTestDatabase();
  const archive = {} as Stores['archive'];
  const here = {} as ArchivedAccount;
  beforeAll(async () => void Object.assign(archive, await startArchive()));
  afterAll(() => archive.close());
  beforeEach(async () => {
    Object.assign(here, await openArchivedAccount({ database, archive }));
    return () => here.account.close();
  });

  const items = async () => {
    const scan = new ScanCommand({ TableName: tables.ledger.name, ConsistentRead: true });
    return ((await database.client.send(scan)).Items ?? []).filter(({ a }) => a === here.account.id);
  };
  const usageOf = () => here.account.usage();
  return { database, archive, here, items, usageOf };
}
