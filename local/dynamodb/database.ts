import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
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

export interface DatabaseProcess {
  readonly url: string;
  /** Resolves with a Problem if the process exits unexpectedly. */
  readonly died: Promise<Problem>;
  close(): Promise<void>;
}

/**
 * Ensures that the database does not outlive the service. A shell waits on a pipe that only the service holds and kills
 * the database when the pipe breaks, even after kill -9. `$$` is the shell that becomes the database. The umask keeps
 * its files private.
 */
const tethered = `umask 077
exec 3<&0
( read -r goodbye <&3 || kill -KILL $$ ) >/dev/null 2>&1 &
exec "$0" "$@" </dev/null 3<&-`;

/**
 * The database accepts any signature, and its CORS headers allow every origin. It therefore listens on a port that
 * browsers block (Fetch standard, "port blocking") and on a random loopback address, so that no web page can reach it.
 */
const blockedPorts = [6566, 6665, 6666, 6667, 6668, 6669, 6697, 10_080] as const;

/** Retries if the port is in use, or if the machine was suspended. */
const attempts = 5;
const startMs = 10_000;
const stopMs = 3000;

/**
 * Starts the database on a file and waits until it listens. Throws a Problem if it is not installed or does not start.
 */
export async function startDatabaseProcess(file: string): Promise<DatabaseProcess> {
  const program = databaseProgram();
  for (let attempt = 1; ; attempt += 1) {
    // Some systems only have 127.0.0.1.
    const host = attempt < attempts ? randomLoopback() : '127.0.0.1';
    const port = blockedPorts[randomInt(blockedPorts.length)] ?? blockedPorts[0];
    const serve = ['serve', '--host', host, '--port', String(port), '--db-path', file];
    // Runs in its own session, so that Ctrl-C in the terminal does not end it before pending requests.
    const child = spawn('/bin/sh', ['-c', tethered, program, ...serve], {
      stdio: ['pipe', 'ignore', 'pipe'],
      detached: true,
    });
    const refusal = await waitUntilListening(child);
    if (refusal === undefined) return running(child, `http://${host}:${port}`);
    child.kill('SIGKILL');
    releaseTether(child);
    if (attempt === attempts || !/in use|locked|busy|did not listen/.test(refusal)) throw cannotOpen(file, refusal);
  }
}

function cannotOpen(file: string, refusal: string): Problem {
  const remedy = /full|I\/O/.test(refusal) ? 'See to the disk' : `Move the folder ${dirname(file)} away`;
  return new Problem(
    `The embedded database could not open ${file}: ${refusal}. ${remedy}, or choose another with --data DIR.`,
  );
}

/** Amazon's own emulation, in memory: an image for x64 and arm64. */
const dynamodbLocal = 'docker run --rm -p 127.0.0.1:8000:8000 amazon/dynamodb-local';

function databaseProgram(): string {
  const name = `@dynoxide/${process.platform}-${process.arch}`;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), 'dynoxide');
  } catch (error) {
    throw new Problem(
      `There is no embedded database for this platform (${name} is not installed). Start DynamoDB Local with "${dynamodbLocal}", then run "AWS_ENDPOINT_URL_DYNAMODB=http://127.0.0.1:8000 npm start".`,
      1,
      { cause: error },
    );
  }
}

/**
 * Returns undefined once the database listens, otherwise the reason. Reads its output, because another process may
 * listen on the port.
 */
async function waitUntilListening(child: ChildProcess): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  let output = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-1000);
    if (output.includes('listening on')) resolve(undefined);
  });
  child.once('error', (error) => resolve(error.message));
  child.once('close', () => resolve(firstSentence(output) || 'it ended immediately'));
  const timer = setTimeout(() => resolve(`it did not listen within ${startMs / 1000} s`), startMs);
  return promise.finally(() => clearTimeout(timer));
}

function firstSentence(output: string): string {
  const [sentence = ''] = output
    .trim()
    .replace(/^error: (Internal error: )?/, '')
    .split(/[.\n]( |$)/);
  return sentence;
}

/** Lets the shell on the pipe exit without killing the database. Ignores a shell that has already exited. */
function releaseTether(child: ChildProcess): void {
  child.stdin?.on('error', () => undefined).end('goodbye\n');
}

function running(child: ChildProcess, url: string): DatabaseProcess {
  let isClosing = false;
  const { promise: died, resolve } = Promise.withResolvers<Problem>();
  const exited = exit();

  async function exit(): Promise<void> {
    const [code, signal] = await once(child, 'exit');
    releaseTether(child);
    const how = typeof signal === 'string' ? `signal ${signal}` : `exit code ${String(code)}`;
    if (!isClosing) resolve(new Problem(`The embedded database exited unexpectedly (${how}). The service stops.`));
  }

  async function close(): Promise<void> {
    isClosing = true;
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), stopMs);
    await exited;
    clearTimeout(timer);
  }

  return { url, died, close };
}

/** Random address out of 16 million. All of 127.0.0.0/8 is this machine (RFC 6890). */
function randomLoopback(): string {
  return ['127', randomInt(1, 255), randomInt(256), randomInt(1, 255)].join('.');
}
