import { CfnOutput, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { CfnAccount } from 'aws-cdk-lib/aws-apigateway';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { EmailIdentity, Identity } from 'aws-cdk-lib/aws-ses';
import { Construct } from 'constructs';
import { Backups } from '#lib/constructs/data/backups.ts';
import { AudioFiles, LedgerArchive, StoredContents } from '#lib/constructs/data/buckets.ts';
import { createTables, type Tables } from '#lib/constructs/data/tables.ts';
import { domainOf } from '#lib/deployable.ts';
import { pageOrigin } from '#lib/settings.ts';
import type { Stage } from '#lib/stage.ts';

/**
 * The role for API Gateway's access logs, one per account and region (AWS "Set up CloudWatch logging for REST APIs in
 * API Gateway"). Role and setting are always retained together, even after a failed creation: other APIs use them, and
 * an account with a deleted role cannot log.
 */
class GatewayLogs extends Construct {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    const policy = ManagedPolicy.fromAwsManagedPolicyName('service-role/AmazonAPIGatewayPushToCloudWatchLogs');
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      managedPolicies: [policy],
    });
    const account = new CfnAccount(this, 'Account', { cloudWatchRoleArn: role.roleArn });
    account.node.addDependency(role);
    for (const part of [role, account]) part.applyRemovalPolicy(RemovalPolicy.RETAIN);
  }
}

export interface DataStackProps extends StackProps {
  readonly stage: Stage;
}

/**
 * Retained resources: the tables, the ledger's archive, the files of long audio, stored prompts and responses, the
 * email identity, the account's role for API Gateway logs.
 */
export class DataStack extends Stack {
  readonly tables: Tables;
  readonly audio: AudioFiles;
  readonly archive: LedgerArchive;
  /** Undefined if the stage stores no prompts. */
  readonly contents: StoredContents | undefined;
  /** Undefined if the stage copies no backups. */
  readonly backups: Backups | undefined;

  constructor(scope: Construct, id: string, { stage, ...props }: DataStackProps) {
    super(scope, id, { description: 'Text AI platform: retained data', ...props });
    this.tables = createTables(this, stage);
    for (const [id, { tableName }] of Object.entries(this.tables)) {
      new CfnOutput(this, `${id}TableName`, { value: tableName });
    }
    this.audio = new AudioFiles(this, 'Audio', { pageOrigin: pageOrigin(stage.frontDoor) });
    const { bucket, ends, endpointPolicy } = this.audio;
    new CfnOutput(this, 'LongAudioBucket', { value: bucket.bucketName });
    new CfnOutput(this, 'LongAudioTopic', { value: ends.topicArn });
    new CfnOutput(this, 'LongAudioEndpointPolicy', { value: endpointPolicy.managedPolicyArn });
    this.archive = new LedgerArchive(this, 'Archive');
    new CfnOutput(this, 'ArchiveBucket', { value: this.archive.bucket.bucketName });
    this.contents = stage.storePrompts ? new StoredContents(this, 'Contents') : undefined;
    if (this.contents) new CfnOutput(this, 'ContentBucket', { value: this.contents.bucket.bucketName });
    if (stage.mail.identityOwner === stage.name) this.#createIdentity(domainOf(stage.mail.sender));
    this.backups = stage.backup
      ? new Backups(this, 'Backups', { tables: this.tables, archive: this.archive, backup: stage.backup })
      : undefined;
    if (stage.gatewayLogsOwner === stage.name) new GatewayLogs(this, 'GatewayLogs');
  }

  /** SES verifies the domain and signs with DKIM once its DNS contains these records. */
  #createIdentity(domain: string): void {
    const identity = new EmailIdentity(this, 'Sender', { identity: Identity.domain(domain), dkimSigning: true });
    identity.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE);
    // Created before the tables: if the identity already exists, the deployment fails before deletion protection would
    // keep tables on rollback.
    for (const table of Object.values(this.tables)) table.node.addDependency(identity);
    for (const [index, { name, value }] of identity.dkimRecords.entries()) {
      new CfnOutput(this, `DkimRecord${index + 1}`, { value: `${name} CNAME ${value}` });
    }
  }
}
