import {
  DescribeTableCommand,
  type DynamoDBClient,
  ListTagsOfResourceCommand,
  RestoreTableToPointInTimeCommand,
  type TableDescription,
  TagResourceCommand,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { streamViewTypes, type TableSpec } from '#contract/platform/resources.ts';

export interface Restore {
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
export async function restoreTable(
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
