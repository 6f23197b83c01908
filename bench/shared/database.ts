import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { tables } from '#contract/platform/resources.ts';
import { startDatabase } from '#local/dynamodb/database.ts';
import type { BenchAccount } from './accounts.ts';

const credentials = { accessKeyId: 'bench', secretAccessKey: 'bench' };

/** The embedded database with the platform's tables, in a folder of its own. */
export async function startBenchDatabase() {
  Object.assign(process.env, { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'bench', AWS_SECRET_ACCESS_KEY: 'bench' });
  const folder = await mkdtemp(join(tmpdir(), 'bench-'));
  const specs = Object.values(tables);
  const database = await startDatabase({ file: join(folder, 'db'), external: undefined, tables: specs });
  const settings = { region: 'us-east-1', endpoint: database.url, credentials };
  const client = DynamoDBDocumentClient.from(new DynamoDBClient(settings));

  async function add(accounts: readonly BenchAccount[]): Promise<void> {
    for (let start = 0; start < accounts.length; start += 25) {
      const puts = accounts.slice(start, start + 25).map(({ item: Item }) => ({ PutRequest: { Item } }));
      await client.send(new BatchWriteCommand({ RequestItems: { [tables.meters.name]: puts } }));
    }
  }

  return {
    url: database.url,
    client,
    add,
    async close() {
      client.destroy();
      await database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export type BenchDatabase = Awaited<ReturnType<typeof startBenchDatabase>>;
