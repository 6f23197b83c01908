import {
  type AttributeDefinition,
  CreateTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  type KeySchemaElement,
  ResourceInUseException,
  ResourceNotFoundException,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import type { KeyAttribute, TableSpec } from '#contract/platform/tables.ts';

/** Makes each table that is missing, as CDK would; a table that is there stays as it is. */
export async function createTables(client: DynamoDBClient, specs: readonly TableSpec[]): Promise<void> {
  await Promise.all(specs.map((spec) => createTable(client, spec)));
}

async function createTable(client: DynamoDBClient, spec: TableSpec): Promise<void> {
  if (await exists(client, spec.name)) return;
  try {
    await client.send(new CreateTableCommand(definition(spec)));
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
  }
  if (!spec.ttlAttribute) return;
  const TimeToLiveSpecification = { AttributeName: spec.ttlAttribute, Enabled: true };
  await client.send(new UpdateTimeToLiveCommand({ TableName: spec.name, TimeToLiveSpecification }));
}

async function exists(client: DynamoDBClient, TableName: string): Promise<boolean> {
  try {
    await client.send(new DescribeTableCommand({ TableName }));
    return true;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return false;
    throw error;
  }
}

function definition(spec: TableSpec): CreateTableCommand['input'] {
  const indexes = Object.entries(spec.indexes ?? {});
  return {
    TableName: spec.name,
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: keySchema(spec),
    AttributeDefinitions: attributes([spec, ...indexes.map(([, index]) => index)]),
    ...(spec.stream && { StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' } }),
    ...(indexes.length > 0 && {
      GlobalSecondaryIndexes: indexes.map(([IndexName, index]) => ({
        IndexName,
        KeySchema: keySchema(index),
        Projection: { ProjectionType: 'KEYS_ONLY' },
      })),
    }),
  };
}

interface Keyed {
  readonly partitionKey: KeyAttribute;
  readonly sortKey?: KeyAttribute;
}

function keySchema({ partitionKey, sortKey }: Keyed): KeySchemaElement[] {
  const hash: KeySchemaElement = { AttributeName: partitionKey.name, KeyType: 'HASH' };
  return sortKey ? [hash, { AttributeName: sortKey.name, KeyType: 'RANGE' }] : [hash];
}

/** Every key attribute of the table and its indexes, each once. */
function attributes(keyed: readonly Keyed[]): AttributeDefinition[] {
  const keys = keyed.flatMap(({ partitionKey, sortKey }) => (sortKey ? [partitionKey, sortKey] : [partitionKey]));
  const types = new Map(keys.map(({ name, type }) => [name, type]));
  return [...types].map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType }));
}
