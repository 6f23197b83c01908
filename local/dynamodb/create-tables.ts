import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AttributeDefinition,
  CreateTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  type KeySchemaElement,
  ResourceInUseException,
  ResourceNotFoundException,
  type TableDescription,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { type IndexSpec, type KeyAttribute, streamViewTypes, type TableSpec } from '#contract/platform/resources.ts';

/** Makes each table that is missing, as CDK would; an existing one gets the stream view and the indexes that it lacks. */
export async function createTables(client: DynamoDBClient, specs: readonly TableSpec[]): Promise<void> {
  await Promise.all(specs.map((spec) => createTable(client, spec)));
}

async function createTable(client: DynamoDBClient, spec: TableSpec): Promise<void> {
  const found = await describe(client, spec.name);
  if (found) {
    await addIndexes(client, spec, found);
    const StreamViewType = spec.stream && streamViewTypes[spec.stream];
    if (!StreamViewType || found.StreamSpecification?.StreamViewType === StreamViewType) return;
    const StreamSpecification = { StreamEnabled: true, StreamViewType };
    await client.send(new UpdateTableCommand({ TableName: spec.name, StreamSpecification }));
    return;
  }
  try {
    await client.send(new CreateTableCommand(definition(spec)));
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
  }
  if (!spec.ttlAttribute) return;
  const TimeToLiveSpecification = { AttributeName: spec.ttlAttribute, Enabled: true };
  await client.send(new UpdateTimeToLiveCommand({ TableName: spec.name, TimeToLiveSpecification }));
}

/** One after another, as DynamoDB takes them. */
async function addIndexes(client: DynamoDBClient, spec: TableSpec, found: TableDescription): Promise<void> {
  const present = new Set(found.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName));
  for (const [name, index] of Object.entries(spec.indexes ?? {})) {
    if (present.has(name)) continue;
    await client.send(
      new UpdateTableCommand({
        TableName: spec.name,
        AttributeDefinitions: attributes([spec, ...Object.values(spec.indexes ?? {})]),
        GlobalSecondaryIndexUpdates: [{ Create: indexDefinition(name, index) }],
      }),
    );
    await indexIsActive(client, spec.name, name);
  }
}

async function indexIsActive(client: DynamoDBClient, table: string, name: string): Promise<void> {
  for (;;) {
    const { GlobalSecondaryIndexes = [] } = (await describe(client, table)) ?? {};
    if (GlobalSecondaryIndexes.some(({ IndexName, IndexStatus }) => IndexName === name && IndexStatus === 'ACTIVE'))
      return;
    await sleep(100);
  }
}

async function describe(client: DynamoDBClient, TableName: string): Promise<TableDescription | undefined> {
  try {
    return (await client.send(new DescribeTableCommand({ TableName }))).Table;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
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
    ...(spec.stream && { StreamSpecification: { StreamEnabled: true, StreamViewType: streamViewTypes[spec.stream] } }),
    ...(indexes.length > 0 && {
      GlobalSecondaryIndexes: indexes.map(([name, index]) => indexDefinition(name, index)),
    }),
  };
}

const indexDefinition = (IndexName: string, index: IndexSpec) => ({
  IndexName,
  KeySchema: keySchema(index),
  Projection: { ProjectionType: index.hasItems ? ('ALL' as const) : ('KEYS_ONLY' as const) },
});

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
