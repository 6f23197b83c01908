import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchWriteCommand,
  DynamoDBDocumentClient,
  paginateScan,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { tableVariables } from '#contract/platform/environment.ts';
import { type TableId, tables } from '#contract/platform/resources.ts';

type Row = Record<string, unknown>;

/** The name of a table in the running service. A deployment has its own names. */
export const tableName = (table: TableId): string => process.env[tableVariables[table]] ?? tables[table].name;

/** Accesses the database of the running service directly. */
export async function onDatabase<T>(work: (client: DynamoDBDocumentClient) => Promise<T>): Promise<T> {
  // The keys of streams' progress exceed the integers that a number holds exactly.
  const unmarshallOptions = { wrapNumbers: Number };
  const client = DynamoDBDocumentClient.from(new DynamoDBClient(), { unmarshallOptions });
  try {
    return await work(client);
  } finally {
    client.destroy();
  }
}

export const rowsOf = (table: TableId): Promise<Row[]> =>
  onDatabase(async (client) => {
    const rows: Row[] = [];
    for await (const { Items = [] } of paginateScan({ client }, { TableName: tableName(table) })) rows.push(...Items);
    return rows;
  });

/** Writes rows directly, replacing those with the same keys. */
export const putRows = (table: TableId, rows: readonly Row[]): Promise<void> =>
  onDatabase(async (client) => {
    for (let from = 0; from < rows.length; from += 25) {
      const puts = rows.slice(from, from + 25).map((Item) => ({ PutRequest: { Item } }));
      await client.send(new BatchWriteCommand({ RequestItems: { [tableName(table)]: puts } }));
    }
  });

export const setInRow = (table: TableId, Key: UpdateCommandInput['Key'], name: string, value: unknown) =>
  onDatabase((client) =>
    client.send(
      new UpdateCommand({
        TableName: tableName(table),
        Key,
        UpdateExpression: 'SET #name = :value',
        ExpressionAttributeNames: { '#name': name },
        ExpressionAttributeValues: { ':value': value },
      }),
    ),
  );
