import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { BlockPublicAccess, Bucket, BucketEncryption, CfnBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';

/**
 * Days in which a deleted or overwritten object can be recovered, the same as for point-in-time recovery of the table.
 */
const recoverableDays = 35;

/**
 * Bucket of the ledger's closed months (docs/adr/0032-ledger-archive.md). Objects never expire. Functions can write and
 * read objects, but not delete them.
 */
export class LedgerArchive extends Construct {
  readonly bucket: Bucket;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.bucket = new Bucket(this, 'Bucket', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      versioned: true,
      lifecycleRules: [
        { noncurrentVersionExpiration: Duration.days(recoverableDays) },
        { abortIncompleteMultipartUploadAfter: Duration.days(1) },
      ],
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    });
    const { defaultChild } = this.bucket.node;
    if (!(defaultChild instanceof CfnBucket)) throw new Error('Bucket no longer creates a bucket');
    // AWS Backup requires EventBridge notifications of new objects and would enable them itself (AWS "Amazon S3
    // backups"). CDK's eventBridgeEnabled is not used, because it adds a function that may change the notifications of
    // every bucket.
    defaultChild.notificationConfiguration = { eventBridgeConfiguration: { eventBridgeEnabled: true } };
  }
}
