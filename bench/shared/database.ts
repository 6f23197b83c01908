import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { planOfRank } from '#contract/billing/plans.ts';
import { microPerCredit } from '#contract/billing/prices.ts';
import { tables } from '#contract/platform/resources.ts';
import { openMeter } from '#domain/billing/grants.ts';
import { onPlan } from '#domain/meter/periods.ts';
import { issueCredential } from '#domain/shared/credential.ts';
import { startDatabase } from '#local/dynamodb/database.ts';
import { listen, listener, type Loopback, readBody } from '#local/shared/loopback.ts';
import { newMeterRow } from '#repositories/meter/meter-item.ts';

const credentials = { accessKeyId: 'bench', secretAccessKey: 'bench' };

/** Starts the embedded database with the platform's tables in a temporary folder. */
export async function startBenchDatabase() {
  Object.assign(process.env, { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'bench', AWS_SECRET_ACCESS_KEY: 'bench' });
  const folder = await mkdtemp(join(tmpdir(), 'bench-'));
  const specs = Object.values(tables);
  const database = await startDatabase({ file: join(folder, 'db'), external: undefined, tables: specs });
  const client = clientOf(database.url);

  return {
    url: database.url,
    client,
    add: (accounts: readonly BenchAccount[]) => addAccounts(client, accounts),
    async close() {
      client.destroy();
      await database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export const clientOf = (endpoint: string): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(new DynamoDBClient({ region: 'us-east-1', endpoint, credentials }));

export async function addAccounts(client: DynamoDBDocumentClient, accounts: readonly BenchAccount[]): Promise<void> {
  for (let start = 0; start < accounts.length; start += 25) {
    const puts = accounts.slice(start, start + 25).map(({ item: Item }) => ({ PutRequest: { Item } }));
    await client.send(new BatchWriteCommand({ RequestItems: { [tables.meters.name]: puts } }));
  }
}

export type BenchDatabase = Awaited<ReturnType<typeof startBenchDatabase>>;

const pro = 4;

const plenty = 100_000 * microPerCredit;

export interface BenchAccount {
  readonly accountId: number;
  readonly key: string;
  /** Meter item of a confirmed account on pro_pass, with its key. */
  readonly item: Record<string, unknown>;
}

export interface BenchAccountOptions {
  readonly planRank?: number;
  readonly microCredits?: number;
  /** Start of the first month, in epoch seconds. Default: now. */
  readonly since?: number;
  /** Index of the first account, for a second set of accounts in one database. */
  readonly from?: number;
}

/** Creates accounts with valid keys. Distributes the ids like registration does. */
export function benchAccounts(count: number, options: BenchAccountOptions = {}): BenchAccount[] {
  const now = Math.floor(Date.now() / 1000);
  const { planRank = pro, microCredits = plenty, since = now, from = 0 } = options;
  return Array.from({ length: count }, (_, index) => {
    const accountId = 700_000_000_000 + (from + index) * 7919;
    const { text: key, digest } = issueCredential('key', accountId, { bytes: (size) => randomBytes(size) });
    const { meter } = openMeter(accountId, since, planOfRank);
    const lots = [
      { id: 1, source: 'plan', granted: microCredits, remaining: microCredits, expiresAt: now + 90 * 86_400 },
    ] as const;
    const used = { ...onPlan(meter, planOfRank(planRank)), spendable: microCredits, lots, lotsGranted: 1 };
    const item = { ...newMeterRow(used, []), k: { [digest]: now + 365 * 86_400 } };
    return { accountId, key, item };
  });
}

/** Capacity units by table, or `table/index`. */
export type Units = Record<string, { read: number; write: number }>;

interface Capacity {
  readonly CapacityUnits?: number;
}

interface Consumed {
  readonly TableName?: string;
  readonly Table?: Capacity;
  readonly GlobalSecondaryIndexes?: Readonly<Record<string, Capacity>>;
}

/** Operations that report their units. */
const counted =
  /^DynamoDB_\d+\.(?:((?:Put|Update|Delete|BatchWrite|TransactWrite)Items?|BatchExecuteStatement)|(?:Get|BatchGet|TransactGet)Items?|Query|Scan)$/;

/** Forwards requests to a database and sums the units that it reports, whatever client sent them. */
export async function startCountedDatabase(upstream: string): Promise<Loopback & { readonly take: () => Units }> {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  let units: Units = {};

  function add(name: string, kind: 'read' | 'write', { CapacityUnits = 0 }: Capacity = {}): void {
    const sum = (units[name] ??= { read: 0, write: 0 });
    sum[kind] += CapacityUnits;
  }

  function addAll(kind: 'read' | 'write', { TableName = '', Table, GlobalSecondaryIndexes = {} }: Consumed): void {
    add(TableName, kind, Table);
    for (const [index, capacity] of Object.entries(GlobalSecondaryIndexes))
      add(`${TableName}/${index}`, kind, capacity);
  }

  function forward({ method, url, headers }: IncomingMessage, body: Buffer): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const { hostname, port, host } = new URL(upstream);
    const changed = { ...headers, host, 'content-length': String(body.length) };
    request({ agent, hostname, port, method, path: url, headers: changed }, resolve).on('error', reject).end(body);
    return promise;
  }

  const server = await listen(
    listener(async (req, res) => {
      const asked = await readBody(req);
      const match = counted.exec(String(req.headers['x-amz-target'] ?? ''));
      const counting = match
        ? Buffer.from(JSON.stringify({ ...JSON.parse(asked.toString()), ReturnConsumedCapacity: 'INDEXES' }))
        : asked;
      const reply = await forward(req, counting);
      const answer = await readBody(reply);
      const { 'x-amz-crc32': _, ...headers } = reply.headers;
      if (!match || reply.statusCode !== 200) {
        res.writeHead(reply.statusCode ?? 502, headers).end(answer);
        return;
      }
      const { ConsumedCapacity = [], ...output } = JSON.parse(answer.toString());
      for (const one of [ConsumedCapacity].flat()) addAll(match[1] ? 'write' : 'read', one);
      const body = Buffer.from(JSON.stringify(output));
      res.writeHead(200, { ...headers, 'content-length': String(body.length) }).end(body);
    }),
  );
  return {
    ...server,
    take() {
      const taken = units;
      units = {};
      return taken;
    },
    async close() {
      await server.close();
      agent.destroy();
    },
  };
}
