import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault, type IBackupVault } from 'aws-cdk-lib/aws-backup';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { TableId } from '#contract/platform/resources.ts';
import { cast } from '#lib/shared-props.ts';
import type { Stage } from '#lib/stage.ts';
import type { LedgerArchive } from './buckets.ts';
import type { Tables } from './tables.ts';

export interface BackupsProps {
  readonly tables: Tables;
  readonly archive: LedgerArchive;
  readonly backup: NonNullable<Stage['backup']>;
}

/**
 * Backed up resources with their hour (UTC). A job starts within an hour, so the ledger's hour ensures that it is never
 * newer than the meters, which would write its rows again. The archive's backup has the hour of the meters, so that it
 * contains every object that the ledger refers to. Other tables are not worth a restore
 * (docs/runbook.md#restore-a-table).
 */
const schedule: readonly { readonly id: string; readonly hour: number; readonly tables: readonly TableId[] }[] = [
  { id: 'Ledger', hour: 1, tables: ['ledger'] },
  { id: 'Meters', hour: 3, tables: ['accounts', 'meters', 'payments', 'webhooks', 'agents', 'audit'] },
];

/** Retention of the original backups. Point-in-time recovery covers a longer time. */
const retention = Duration.days(7);

/**
 * Daily backups of the tables and of the ledger's archive, each copied to another vault. A table backup is a full copy;
 * a bucket backup contains only new objects (AWS "Feature availability by resource", "Amazon S3 backups"). AWS Backup
 * encrypts a DynamoDB backup with the key of its vault, regardless of the table's key, and copies it with the key of
 * the other vault (AWS "Encryption for backups in AWS Backup"; requires "Advanced DynamoDB backup"). The vault here
 * uses an AWS key, so that no key must be shared.
 */
export class Backups extends Construct {
  /** The vault with the original backups. */
  readonly vault: IBackupVault;

  constructor(scope: Construct, id: string, { tables, archive, backup }: BackupsProps) {
    super(scope, id);
    const vault = new BackupVault(this, 'Vault', { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE });
    this.vault = cast<IBackupVault>(vault);
    const elsewhere = BackupVault.fromBackupVaultArn(this, 'Elsewhere', backup.copyTo);
    const saved = schedule.flatMap((one) => one.tables.map((table) => tables[table].tableArn));
    const role = this.#createRole(saved, [vault.backupVaultArn, backup.copyTo]);
    this.#allowArchive(role, archive);
    for (const { id: name, hour, tables: ids } of schedule) {
      const plan = new BackupPlan(this, name, { backupVault: this.vault });
      plan.addRule(
        new BackupPlanRule({
          scheduleExpression: Schedule.cron({ hour: String(hour), minute: '0' }),
          startWindow: Duration.hours(1),
          completionWindow: Duration.hours(12),
          deleteAfter: retention,
          copyActions: [{ destinationBackupVault: elsewhere, deleteAfter: Duration.days(backup.days) }],
        }),
      );
      plan.addSelection('Tables', {
        resources: [
          ...ids.map((table) => BackupResource.fromArn(tables[table].tableArn)),
          ...(name === 'Meters' ? [BackupResource.fromArn(archive.bucket.bucketArn)] : []),
        ],
        role,
        disableDefaultBackupPolicy: true,
      });
    }
  }

  /**
   * Statements of AWSBackupServiceRolePolicyForBackup for DynamoDB and copies, restricted to these tables and vaults
   * (AWS "Managed policies for AWS Backup").
   */
  #createRole(tables: readonly string[], vaults: readonly string[]): Role {
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('backup.amazonaws.com') });
    const stack = Stack.of(this);
    const allow = (actions: readonly string[], resources: readonly string[], conditions = {}) =>
      role.addToPolicy(new PolicyStatement({ actions: [...actions], resources: [...resources], conditions }));
    allow(
      ['dynamodb:DescribeTable', 'dynamodb:CreateBackup', 'dynamodb:StartAwsBackupJob', 'dynamodb:ListTagsOfResource'],
      tables,
    );
    allow(
      ['dynamodb:DescribeBackup', 'dynamodb:DeleteBackup'],
      tables.map((table) => `${table}/backup/*`),
    );
    allow(['backup:DescribeBackupVault', 'backup:CopyIntoBackupVault'], vaults);
    const recoveryPoints = stack.formatArn({ service: 'backup', resource: 'recovery-point:*' });
    allow(['backup:TagResource', 'backup:CopyFromBackupVault'], [recoveryPoints]);
    const ofAnyVault = [
      stack.formatArn({ service: 'kms', region: '*', account: '*', resource: 'key', resourceName: '*' }),
    ];
    allow(['kms:DescribeKey'], ofAnyVault);
    allow(['kms:CreateGrant'], ofAnyVault, { Bool: { 'kms:GrantIsForAWSResource': 'true' } });
    allow(['kms:Decrypt', 'kms:GenerateDataKey'], ofAnyVault, {
      StringLike: { 'kms:ViaService': `dynamodb.${stack.region}.amazonaws.com` },
    });
    return role;
  }

  /** Statements of AWSBackupServiceRolePolicyForS3Backup, restricted to this bucket if IAM supports it. */
  #allowArchive(role: Role, { bucket }: LedgerArchive): void {
    const allow = (actions: readonly string[], resource: string) =>
      role.addToPolicy(new PolicyStatement({ actions: [...actions], resources: [resource] }));
    allow(
      [
        's3:GetInventoryConfiguration',
        's3:PutInventoryConfiguration',
        's3:ListBucketVersions',
        's3:ListBucket',
        's3:GetBucketVersioning',
        's3:GetBucketLocation',
        's3:GetBucketTagging',
        's3:GetBucketAcl',
        's3:GetBucketNotification',
        's3:PutBucketNotification',
      ],
      bucket.bucketArn,
    );
    allow(
      [
        's3:GetObject',
        's3:GetObjectAcl',
        's3:GetObjectTagging',
        's3:GetObjectVersion',
        's3:GetObjectVersionAcl',
        's3:GetObjectVersionTagging',
      ],
      bucket.arnForObjects('*'),
    );
    allow(
      [
        'events:PutRule',
        'events:DeleteRule',
        'events:DescribeRule',
        'events:EnableRule',
        'events:DisableRule',
        'events:PutTargets',
        'events:RemoveTargets',
        'events:ListTargetsByRule',
      ],
      Stack.of(this).formatArn({ service: 'events', resource: 'rule', resourceName: 'AwsBackupManagedRule*' }),
    );
    allow(['cloudwatch:GetMetricData', 'events:ListRules', 's3:ListAllMyBuckets'], '*');
  }
}
