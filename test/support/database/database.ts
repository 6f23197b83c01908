import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll } from 'vitest';
import { tables } from '#contract/platform/resources.ts';
import { startDatabase } from '#local/dynamodb/database.ts';
import { type DirectRequests, directRequests } from '#local/dynamodb/dynamodb-proxy.ts';
import { ambient } from '#runtime/process.ts';
import { removeFolder, testFolder } from '../folder.ts';
import { separateDatabase } from './dynamodb-local.ts';

/** Starts a separate database with the platform's tables, embedded or in DynamoDB Local. */
export async function startTestDatabase() {
  const folder = await testFolder();
  const separate = await separateDatabase();
  const file = join(folder, 'db');
  const database = await startDatabase({
    file,
    external: separate?.url,
    tables: Object.values(tables),
  });
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint: database.url, maxAttempts: 1 }));
  const direct = database.file && directTo(database.url);
  direct?.adapt(client);
  return {
    client,
    url: database.url,
    /** Undefined for DynamoDB Local. */
    file,
    async close() {
      client.destroy();
      delete ambient.adaptDatabaseClient;
      await direct?.close();
      await database.close();
      await separate?.close();
      await removeFolder(folder);
    },
  };
}

/** Lets the clients of a file's tests and services skip signatures, as those of a service do. */
function directTo(url: string): DirectRequests {
  const direct = directRequests({ proxy: url, url, faults: { isOrdered: () => false }, onWrite: () => undefined });
  ambient.adaptDatabaseClient = direct.adapt;
  return direct;
}

export type TestDatabase = Awaited<ReturnType<typeof startTestDatabase>>;

/** Starts a database before the tests of a file or block. */
export function useTestDatabase(): TestDatabase {
  const database = {} as TestDatabase;
  beforeAll(async () => void Object.assign(database, await startTestDatabase()));
  afterAll(() => database.close());
  return database;
}
