import { DatabaseSync } from 'node:sqlite';
import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { tables } from '#contract/platform/resources.ts';
import { itemBytes } from './item-size.ts';

type LedgerItem = Readonly<Record<string, unknown>> & { readonly a: number; readonly sk: string };

/**
 * Writes items of one account directly into the file of the embedded database, because requests would need minutes.
 * The stream does not contain them.
 */
export async function fillLedger(
  { client, file }: { readonly client: DynamoDBDocumentClient; readonly file: string },
  items: readonly LedgerItem[],
): Promise<void> {
  const [first] = items;
  if (!first) return;
  await client.send(new PutCommand({ TableName: tables.ledger.name, Item: first }));
  const sqlite = new DatabaseSync(file, { timeout: 5000 });
  const insert = sqlite.prepare(
    `INSERT OR REPLACE INTO ledger (pk, sk, item_json, item_size, hash_prefix)
    SELECT pk, ?, ?, ?, hash_prefix FROM ledger WHERE sk = ? AND json_extract(item_json, '$.a.N') = ?`,
  );
  sqlite.exec('CREATE INDEX filling ON ledger (sk); BEGIN');
  for (const item of items)
    insert.run(`S:${item.sk}`, JSON.stringify(marshall(item)), itemBytes(item), `S:${first.sk}`, String(first.a));
  sqlite.exec('COMMIT; DROP INDEX filling');
  sqlite.close();
}
