import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault, type IBackupVault } from 'aws-cdk-lib/aws-backup';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { TableId } from '#contract/platform/resources.ts';
import { cast } from '#lib/shared-props.ts';
import type { Stage } from '#lib/stage.ts';
import type { LedgerArchive } from './ledger-archive.ts';
import type { Tables } from './tables.ts';

export interface BackupsProps {
  readonly tables: Tables;
  readonly archive: LedgerArchive;
  readonly backup: NonNullable<Stage['backup']>;
}

/**
 * What is backed up at which hour (UTC). A job begins within the hour after; so the ledger is never newer than the meters,
 * which would count its rows again. The archive is saved with the meters, so it has every object that the ledger names. What the other tables hold is not worth a restore (docs/runbook.md#restore-a-table).
 */
const schedule: readonly { readonly id: string; readonly hour: number; readonly tables: readonly TableId[] }[] = [
  { id: 'Ledger', hour: 1, tables: ['ledger'] },
  { id: 'Meters', hour: 3, tables: ['accounts', 'meters', 'webhooks', 'agents', 'audit'] },
];

/** The first copy is made from these; point-in-time recovery has more. */
const retention = Duration.days(7);

/**
 * Daily backups of the tables and of the ledger's archive, each copied to a vault elsewhere. A backup of a table is a full
 * copy; one of a bucket has only the objects that are new (AWS "Feature availability by resource", "Amazon S3 backups"). AWS Backup encrypts a backup of DynamoDB with the key of its
 * vault, whatever the table's own is, and copies it with the key of the other vault (AWS "Encryption for backups in AWS
 * Backup"; it needs "Advanced DynamoDB backup"). The vault here stays with AWS's own key, so that none is to be shared.
 */
export class Backups extends Construct {
  /** The vault that copies are made from. */
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
   * The statements of AWSBackupServiceRolePolicyForBackup for DynamoDB and for copies, for these tables and vaults (AWS
   * "Managed policies for AWS Backup").
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

  /** The statements of AWSBackupServiceRolePolicyForS3Backup, for this bucket where IAM allows that. */
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
