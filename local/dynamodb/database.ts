import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AttributeDefinition,
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  type KeySchemaElement,
  ResourceInUseException,
  ResourceNotFoundException,
  type TableDescription,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { type IndexSpec, type KeyAttribute, streamViewTypes, type TableSpec } from '#contract/platform/resources.ts';
import { isDamaged } from '../shared/data-folder.ts';
import { Problem } from '../shared/problems.ts';
import { type DatabaseProcess, startDatabaseProcess } from './database-process.ts';
import { compactFile, type DatabaseFile, openDatabaseFile } from './upkeep.ts';

const never = new Promise<never>(() => undefined);

/** The database with its tables: embedded, or at AWS_ENDPOINT_URL_DYNAMODB. */
export interface Database {
  readonly url: string;
  /** Client for the service's own maintenance. The functions have their own clients. */
  readonly client: DynamoDBClient;
  /** Undefined for an external database. */
  readonly file: DatabaseFile | undefined;
  /** Resolves with a Problem if the embedded database exits unexpectedly. */
  readonly died: Promise<Problem>;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  readonly file: string;
  /** URL of a running database to use instead. */
  readonly external: string | undefined;
  readonly tables: readonly TableSpec[];
}

export async function startDatabase({ file, external, tables }: DatabaseOptions): Promise<Database> {
  const embedded = external === undefined ? await startEmbedded(file) : undefined;
  const url = external ?? embedded?.url ?? '';
  const client = new DynamoDBClient({ endpoint: url });
  let opened: DatabaseFile | undefined;
  const close = async (): Promise<void> => {
    client.destroy();
    opened?.close();
    await embedded?.close();
  };
  try {
    await createTables(client, tables);
    if (embedded) opened = openDatabaseFile(file, tables);
  } catch (error) {
    await close();
    throw external === undefined ? error : unreachable(external, error);
  }
  return { url, client, file: opened, died: embedded?.died ?? never, close };
}

async function startEmbedded(file: string): Promise<DatabaseProcess> {
  if (isDamaged(file))
    throw new Problem(
      `The database ${file} is damaged. Move the folder ${dirname(file)} away to start with an empty one, or choose another with --data DIR.`,
    );
  compactFile(file);
  return startDatabaseProcess(file);
}

function unreachable(url: string, error: unknown): Problem {
  const reason = error instanceof Error ? error.message || error.name : String(error);
  return new Problem(`The database at ${url} (AWS_ENDPOINT_URL_DYNAMODB) cannot be used: ${reason}.`, 1, {
    cause: error,
  });
}

/** Creates missing tables as CDK would, and adds missing streams and indexes to existing ones. */
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

/** DynamoDB accepts one new index at a time. */
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

function attributes(keyed: readonly Keyed[]): AttributeDefinition[] {
  const keys = keyed.flatMap(({ partitionKey, sortKey }) => (sortKey ? [partitionKey, sortKey] : [partitionKey]));
  const types = new Map(keys.map(({ name, type }) => [name, type]));
  return [...types].map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType }));
}
