import { describe, expect, test } from 'vitest';
import { fullStage } from '#test/stages/full-stage.ts';
import { ofType, pathOf, synthesise } from '../synth.ts';
import { type Resource } from '../whole.ts';

const copyTo = 'arn:aws:backup:eu-central-1:222222222222:backup-vault:text-ai-copies';
const { data, monitoring } = await synthesise({ stage: fullStage });
const none = await synthesise();

const tableId = (name: string) =>
  ofType(data, 'AWS::DynamoDB::GlobalTable').find(([, table]) => pathOf(table) === name)?.[0];
const arnOf = (name: string) => ({ 'Fn::GetAtt': [tableId(name), 'Arn'] });
const archiveId = ofType(data, 'AWS::S3::Bucket').find(([, bucket]) => pathOf(bucket) === 'Archive/Bucket')?.[0];
const archiveArn = { 'Fn::GetAtt': [archiveId, 'Arn'] };
const [[vaultId, vault] = []] = ofType(data, 'AWS::Backup::BackupVault');
const roleId = ofType(data, 'AWS::IAM::Role').find(([, role]) => pathOf(role) === 'Backups/Role')?.[0];

const backupPlans = ofType(data, 'AWS::Backup::BackupPlan').map(([id, { Properties }]) => ({
  id,
  rules: (Properties['BackupPlan'] as { BackupPlanRule: Record<string, unknown>[] }).BackupPlanRule,
}));

test('a stage without backup copies has no backup resources', () => {
  const types = Object.values({ ...none.data.resources, ...none.monitoring.resources }).map(({ Type }) => Type);
  expect(types.filter((type) => type.startsWith('AWS::Backup::'))).toEqual([]);
});

describe('a stage with backup copies', () => {
  test('creates a backup each day, keeps it for a week in a retained vault, and copies it for its retention period', () => {
    expect(vault).toMatchObject({ DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' });
    for (const { rules } of backupPlans) {
      expect(rules).toMatchObject([
        {
          TargetBackupVault: { 'Fn::GetAtt': [vaultId, 'BackupVaultName'] },
          StartWindowMinutes: 60,
          Lifecycle: { DeleteAfterDays: 7 },
          CopyActions: [{ DestinationBackupVaultArn: copyTo, Lifecycle: { DeleteAfterDays: 90 } }],
        },
      ]);
    }
  });

  test('backs up all tables, and the ledger at least an hour before the meters and the archive', () => {
    const selected = ofType(data, 'AWS::Backup::BackupSelection').map(([, { Properties }]) => {
      const { IamRoleArn, Resources } = Properties['BackupSelection'] as Record<string, unknown>;
      expect(IamRoleArn).toEqual({ 'Fn::GetAtt': [roleId, 'Arn'] });
      const plan = backupPlans.find(({ id }) => JSON.stringify(Properties['BackupPlanId']).includes(id));
      return [plan?.rules[0]?.['ScheduleExpression'], Resources];
    });
    expect(selected).toEqual([
      ['cron(0 1 * * ? *)', [arnOf('ledger')]],
      [
        'cron(0 3 * * ? *)',
        [...['accounts', 'meters', 'payments', 'webhooks', 'agents', 'audit'].map(arnOf), archiveArn],
      ],
    ]);
  });

  test('has a backup role without an AWS policy, which may use only these tables and vaults', () => {
    const role = ofType(data, 'AWS::IAM::Role').find(([id]) => id === roleId)![1];
    expect(role.Properties['ManagedPolicyArns']).toBeUndefined();
    expect(JSON.stringify(role.Properties)).toContain('"backup.amazonaws.com"');
    const statements = ofType(data, 'AWS::IAM::Policy').flatMap(([, policy]) => statementsOf(policy));
    const resourcesOf = (service: string) =>
      statements.filter(({ Action }) => [Action].flat().some((action) => action.startsWith(`${service}:`)));
    const tables = JSON.stringify(resourcesOf('dynamodb').map(({ Resource }) => Resource));
    for (const name of ['accounts', 'meters', 'webhooks', 'agents', 'ledger', 'audit'])
      expect(tables).toContain(tableId(name));
    for (const name of ['idempotency', 'requests']) expect(tables).not.toContain(tableId(name));
    const into = statements.find(({ Action }) => [Action].flat().includes('backup:CopyIntoBackupVault'));
    expect(into?.Resource).toEqual([copyTo, { 'Fn::GetAtt': [vaultId, 'BackupVaultArn'] }]);
    const keys = resourcesOf('kms').filter(({ Action }) => Action !== 'kms:DescribeKey');
    for (const { Condition } of keys) expect(JSON.stringify(Condition)).toMatch(/GrantIsForAWSResource|ViaService/);
    expect(statements.filter(({ Resource }) => Resource === '*').map(({ Action }) => Action)).toEqual([
      ['cloudwatch:GetMetricData', 'events:ListRules', 's3:ListAllMyBuckets'],
    ]);
    const buckets = resourcesOf('s3').filter(({ Resource }) => Resource !== '*');
    expect(buckets.map(({ Resource }) => Resource)).toEqual([archiveArn, { 'Fn::Join': ['', [archiveArn, '/*']] }]);
    const changing = [...new Set(buckets.flatMap(({ Action }) => Action))].filter((action) =>
      /:(?:Put|Delete)/.test(action),
    );
    expect(changing.toSorted()).toEqual(['s3:PutBucketNotification', 's3:PutInventoryConfiguration']);
  });

  test('has an alarm for backup failures', () => {
    const alarm = ofType(monitoring, 'AWS::CloudWatch::Alarm').find(([, one]) => pathOf(one) === 'Service/Backups')![1];
    expect(JSON.stringify(alarm.Properties)).toMatch(/NumberOfBackupJobsFailed.*NumberOfCopyJobsFailed/);
    expect(alarm.Properties['AlarmDescription']).toMatch(/docs\/runbook\.md#backups-fail$/);
  });
});

interface Statement {
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

const statementsOf = ({ Properties }: Resource) =>
  (Properties['PolicyDocument'] as { Statement: readonly Statement[] }).Statement;
