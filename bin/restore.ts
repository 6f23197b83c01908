#!/usr/bin/env node
import { parseArgs } from 'node:util';
import {
  DescribeTableCommand,
  DynamoDBClient,
  ListTagsOfResourceCommand,
  RestoreTableToPointInTimeCommand,
  type TableDescription,
  TagResourceCommand,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import * as v from 'valibot';
import { streamViewTypes, tables, type TableSpec } from '#contract/platform/resources.ts';

interface Restore {
  readonly spec: TableSpec;
  /** Table to restore. It need not exist if the target does. */
  readonly source: string;
  readonly target: string;
  /** Default: the latest restorable time. */
  readonly at: Date | undefined;
}

/** Seconds. A restore takes minutes to hours, depending on the table's size. */
const maxWaitTime = 24 * 3600;

/**
 * Restores a table into a new one and adds the settings that a restore omits: stream, TTL, point-in-time recovery,
 * deletion protection and tags (AWS "Restoring a table to a point in time"). Every step can be repeated. If the target
 * exists, for example restored by AWS Backup after its source was deleted, continues from there.
 */
async function restoreTable(
  client: DynamoDBClient,
  { spec, source, target, at }: Restore,
  log: (line: string) => void,
): Promise<TableDescription> {
  const [from, there] = [await describe(client, source), await describe(client, target)];
  if (there) log(`${target} exists: continuing`);
  else {
    if (!from) throw new Error(`The table ${source} does not exist.`);
    await client.send(
      new RestoreTableToPointInTimeCommand({
        SourceTableName: source,
        TargetTableName: target,
        ...(at ? { RestoreDateTime: at } : { UseLatestRestorableTime: true }),
      }),
    );
    log(`${target} is being restored from ${source}`);
  }
  const restored = await whenActive(client, target);
  log(`${target} is active`);
  await client.send(
    new UpdateContinuousBackupsCommand({
      TableName: target,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    }),
  );
  if (spec.ttlAttribute !== undefined) await expireBy(client, target, spec.ttlAttribute);
  if (from) await copyTags(client, from, restored);
  if (!restored.DeletionProtectionEnabled)
    await client.send(new UpdateTableCommand({ TableName: target, DeletionProtectionEnabled: true }));
  if (!spec.stream || (await whenActive(client, target)).StreamSpecification?.StreamEnabled)
    return whenActive(client, target);
  const StreamSpecification = { StreamEnabled: true, StreamViewType: streamViewTypes[spec.stream] };
  await client.send(new UpdateTableCommand({ TableName: target, StreamSpecification }));
  return whenActive(client, target);
}

async function describe(client: DynamoDBClient, TableName: string): Promise<TableDescription | undefined> {
  try {
    return (await client.send(new DescribeTableCommand({ TableName }))).Table;
  } catch (error) {
    if (error instanceof Error && error.name === 'ResourceNotFoundException') return undefined;
    throw error;
  }
}

async function whenActive(client: DynamoDBClient, TableName: string): Promise<TableDescription> {
  await waitUntilTableExists({ client, maxWaitTime, minDelay: 1, maxDelay: 20 }, { TableName });
  const table = await describe(client, TableName);
  if (!table) throw new Error(`${TableName} no longer exists.`);
  return table;
}

/** DynamoDB rejects enabling TTL twice. */
async function expireBy(client: DynamoDBClient, TableName: string, AttributeName: string): Promise<void> {
  try {
    await client.send(
      new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification: { Enabled: true, AttributeName } }),
    );
  } catch (error) {
    if (!(error instanceof Error && /already enabled/i.test(error.message))) throw error;
  }
}

/** Tags of CloudFormation stay with the original table. */
async function copyTags(client: DynamoDBClient, from: TableDescription, to: TableDescription): Promise<void> {
  const { Tags: all = [] } = await client.send(new ListTagsOfResourceCommand({ ResourceArn: from.TableArn }));
  const Tags = all.filter(({ Key = '' }) => !Key.startsWith('aws:'));
  if (Tags.length > 0) await client.send(new TagResourceCommand({ ResourceArn: to.TableArn, Tags }));
}

const usage = `Usage: npm run restore -- TABLE SOURCE TARGET [--at TIME]

Restores the table named SOURCE into a new one named TARGET, as of TIME (ISO 8601 with offset; default: the
latest restorable time), applies the settings of TABLE (${Object.keys(tables).join(', ')}) and prints the setting
with which a stage uses it. The command can be repeated. If TARGET exists, for example restored by AWS Backup, SOURCE
need not exist.

Environment: AWS region and credentials. docs/runbook.md lists the tables to restore together.
`;

const Arguments = v.tuple([v.picklist(Object.keys(tables).filter(isTableId)), v.string(), v.string()]);

function isTableId(id: string): id is keyof typeof tables {
  return id in tables;
}

function restoreOf(args: readonly string[], at: string | undefined): Restore & { readonly id: keyof typeof tables } {
  const parsed = v.safeParse(Arguments, args);
  if (!parsed.success) throw new Error(usage);
  const [id, source, target] = parsed.output;
  const time = v.safeParse(v.optional(v.pipe(v.string(), v.isoTimestamp())), at);
  if (!time.success) throw new Error(`${at} is not a time such as 2026-11-22T09:00:00Z.`);
  return { id, spec: tables[id], source, target, at: time.output === undefined ? undefined : new Date(time.output) };
}

async function main(): Promise<void> {
  const options = { help: { type: 'boolean' }, at: { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  if (values.help) return void process.stdout.write(usage);
  const restore = restoreOf(positionals, values.at);
  const client = new DynamoDBClient({ maxAttempts: 5 });
  const { TableName: name, LatestStreamArn: streamArn } = await restoreTable(client, restore, console.log);
  const table = { name, ...(restore.spec.stream && { streamArn }) };
  console.log(
    `\nIn the stage (lib/stages.ts):\n\nexistingTables: ${JSON.stringify({ [restore.id]: table }, null, 2)},`,
  );
}

await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
