import { beforeAll, describe, expect, test } from 'vitest';
import { type TableSpec, tables } from '#contract/platform/resources.ts';
import { stageNamed } from '#lib/stages.ts';
import { otherStage } from '#test/stages/other-stage.ts';
import { ofType, pathOf, synthesise } from '../synth.ts';
import { type Resource } from '../whole.ts';

const specs: readonly TableSpec[] = Object.values(tables);
let deployed: Map<string, Resource>;
const { data } = await synthesise();
const other = await synthesise({ stage: otherStage, buffered: true });

beforeAll(() => {
  const found = ofType(data, 'AWS::DynamoDB::GlobalTable');
  deployed = new Map(found.map(([, table]) => [pathOf(table), table]));
});

test('the data stack deploys exactly the tables of the contract', () => {
  expect([...deployed.keys()].toSorted()).toEqual(specs.map(({ name }) => name).toSorted());
});

describe.each(specs)('table $name', (spec) => {
  test('is retained with its stack, protected from deletion, restorable to any second, and encrypted', () => {
    expect(deployed.get(spec.name)).toMatchObject({
      DeletionPolicy: 'RetainExceptOnCreate',
      UpdateReplacePolicy: 'Retain',
      Properties: {
        BillingMode: 'PAY_PER_REQUEST',
        SSESpecification: { SSEEnabled: true },
        Replicas: [
          { DeletionProtectionEnabled: true, PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } },
        ],
      },
    });
  });

  test('has the keys, stream, expiry and indexes of its specification', () => {
    const properties = deployed.get(spec.name)?.Properties ?? {};
    expect(properties['KeySchema']).toEqual(keySchema(spec));
    expect(properties['StreamSpecification']).toEqual(
      spec.stream && { StreamViewType: spec.stream === 'new' ? 'NEW_IMAGE' : 'NEW_AND_OLD_IMAGES' },
    );
    const expiry = spec.ttlAttribute && { AttributeName: spec.ttlAttribute, Enabled: true };
    expect(properties['TimeToLiveSpecification']).toEqual(expiry);
    const indexes = Object.entries(spec.indexes ?? {}).map(([IndexName, index]) => ({
      IndexName,
      KeySchema: keySchema(index),
      Projection: { ProjectionType: index.hasItems ? 'ALL' : 'KEYS_ONLY' },
    }));
    expect(properties['GlobalSecondaryIndexes'] ?? []).toEqual(indexes);
  });
});

test('personal data and webhook secrets use a retained, rotated key that serves DynamoDB in this account only', () => {
  const [[id, key] = []] = ofType(data, 'AWS::KMS::Key');
  expect(key).toMatchObject({ DeletionPolicy: 'RetainExceptOnCreate', Properties: { EnableKeyRotation: true } });
  for (const table of ['accounts', 'payments', 'webhooks', 'agents', 'messages'])
    expect(deployed.get(table)?.Properties['Replicas']).toMatchObject([
      { SSESpecification: { KMSMasterKeyId: { 'Fn::GetAtt': [id, 'Arn'] } } },
    ]);
  const { Statement } = key!.Properties['KeyPolicy'] as { Statement: { Principal: unknown; Condition?: unknown }[] };
  const open = Statement.filter(({ Principal }) => JSON.stringify(Principal).includes('"*"'));
  expect(open).toMatchObject([{ Condition: { StringEquals: { 'kms:CallerAccount': { Ref: 'AWS::AccountId' } } } }]);
  expect(ofType(other.data, 'AWS::KMS::Key')).toEqual([]);
});

test('the email sender domain is verified with DKIM and retained', () => {
  const [[, identity] = []] = ofType(data, 'AWS::SES::EmailIdentity');
  expect(identity).toMatchObject({
    DeletionPolicy: 'RetainExceptOnCreate',
    Properties: { EmailIdentity: 'example.com', DkimAttributes: { SigningEnabled: true } },
  });
  expect(Object.keys(data.outputs).filter((name) => name.startsWith('DkimRecord'))).toHaveLength(3);
});

test('every table is created after the email identity, so that a failed identity leaves no table behind', () => {
  const [[id] = []] = ofType(data, 'AWS::SES::EmailIdentity');
  for (const table of deployed.values()) expect(table.DependsOn).toContain(id);
});

test('a stage with a shared or existing identity creates none', async () => {
  const staging = await synthesise({ stage: stageNamed('staging') });
  expect(stageNamed('staging').mail.identityOwner).toBe('live');
  expect(ofType(staging.data, 'AWS::SES::EmailIdentity')).toEqual([]);
  expect(ofType(other.data, 'AWS::SES::EmailIdentity')).toEqual([]);
});

test('only the owner’s data stack sets the account’s role for API Gateway logs', async () => {
  const [[id, role] = []] = ofType(data, 'AWS::IAM::Role');
  expect(JSON.stringify(role!.Properties)).toMatch(
    /"apigateway\.amazonaws\.com".*AmazonAPIGatewayPushToCloudWatchLogs/,
  );
  const [[, account] = []] = ofType(data, 'AWS::ApiGateway::Account');
  expect(account!.Properties).toEqual({ CloudWatchRoleArn: { 'Fn::GetAtt': [id, 'Arn'] } });
  const staging = await synthesise({ stage: stageNamed('staging') });
  for (const stack of [(await synthesise()).api, staging.data, staging.api, other.data, other.api])
    expect(ofType(stack, 'AWS::ApiGateway::Account')).toEqual([]);
});

test('a failed first creation leaves only the account’s role for API Gateway logs', async () => {
  const { api, monitoring } = await synthesise();
  const policies = [data, api, monitoring].flatMap(({ resources }) => Object.values(resources));
  const retained = policies.filter(({ DeletionPolicy }) => DeletionPolicy === 'Retain');
  expect(new Set(retained.map(pathOf))).toEqual(new Set(['GatewayLogs/Role', 'GatewayLogs/Account']));
  const exceptOnCreate = policies.filter(({ DeletionPolicy }) => DeletionPolicy === 'RetainExceptOnCreate');
  expect(new Set(exceptOnCreate.map(({ Type }) => Type))).toEqual(
    new Set([
      'AWS::DynamoDB::GlobalTable',
      'AWS::KMS::Key',
      'AWS::SES::EmailIdentity',
      'AWS::Lambda::Version',
      'AWS::S3::Bucket',
    ]),
  );
  for (const { UpdateReplacePolicy } of exceptOnCreate) expect(UpdateReplacePolicy).toBe('Retain');
});

test('the ledger archive is private, versioned and retained, and only old versions in it expire', () => {
  const [, archive] = ofType(data, 'AWS::S3::Bucket').find(([, bucket]) => pathOf(bucket) === 'Archive/Bucket')!;
  expect(archive).toMatchObject({ DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' });
  expect(archive.Properties).toMatchObject({
    VersioningConfiguration: { Status: 'Enabled' },
    PublicAccessBlockConfiguration: { BlockPublicAcls: true, BlockPublicPolicy: true, RestrictPublicBuckets: true },
    BucketEncryption: { ServerSideEncryptionConfiguration: [{}] },
    NotificationConfiguration: { EventBridgeConfiguration: { EventBridgeEnabled: true } },
    LifecycleConfiguration: {
      Rules: [
        { NoncurrentVersionExpiration: { NoncurrentDays: 35 } },
        { AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 } },
      ],
    },
  });
  const rules = (archive.Properties['LifecycleConfiguration'] as { Rules: object[] }).Rules;
  expect(rules.filter((rule) => 'ExpirationInDays' in rule)).toEqual([]);
});

function keySchema({ partitionKey, sortKey }: Pick<TableSpec, 'partitionKey' | 'sortKey'>) {
  const range = sortKey ? [{ AttributeName: sortKey.name, KeyType: 'RANGE' }] : [];
  return [{ AttributeName: partitionKey.name, KeyType: 'HASH' }, ...range];
}
