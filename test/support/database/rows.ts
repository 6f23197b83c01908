import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { tableVariables } from '#contract/platform/environment.ts';
import { type TableId, tables } from '#contract/platform/tables.ts';

/** What the running service calls a table: a deployment has names of its own. */
export const tableName = (table: TableId): string => process.env[tableVariables[table]] ?? tables[table].name;

/** All rows of a table of the running service, past the functions. */
export async function rowsOf(table: TableId): Promise<Record<string, unknown>[]> {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient());
  const rows: Record<string, unknown>[] = [];
  for await (const { Items = [] } of paginateScan({ client }, { TableName: tableName(table) })) rows.push(...Items);
  client.destroy();
  return rows;
}
