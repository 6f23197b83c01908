import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { type TableId, tables } from '#contract/tables.ts';

/** All rows of a table of the running service, past the functions. */
export async function rowsOf(table: TableId): Promise<Record<string, unknown>[]> {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient());
  const rows: Record<string, unknown>[] = [];
  for await (const { Items = [] } of paginateScan({ client }, { TableName: tables[table].name })) rows.push(...Items);
  client.destroy();
  return rows;
}
