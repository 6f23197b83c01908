import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { tables } from '#contract/platform/tables.ts';
import { startDatabase } from '#local/dynamodb/database.ts';
import { removeFolder, testFolder } from '../folder.ts';

/** The embedded database with the platform's tables, on a file of its own. */
export async function startTestDatabase() {
  const folder = await testFolder();
  const database = await startDatabase({
    file: join(folder, 'db'),
    external: undefined,
    tables: Object.values(tables),
  });
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint: database.url, maxAttempts: 1 }));
  return {
    client,
    url: database.url,
    async close() {
      client.destroy();
      await database.close();
      await removeFolder(folder);
    },
  };
}
