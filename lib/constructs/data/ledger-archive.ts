import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { BlockPublicAccess, Bucket, BucketEncryption, CfnBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';

/** How long an object stays recoverable that somebody deleted or overwrote: as long as point-in-time recovery of the table. */
const recoverableDays = 35;

/**
 * The bucket of the ledger's closed months (docs/adr/0032-ledger-archive.md). Nothing in it expires. Functions write objects
 * and read them; none can delete one.
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
    // AWS Backup learns by EventBridge which objects are new, and would switch it on itself (AWS "Amazon S3 backups").
    // Not CDK's eventBridgeEnabled, which brings a function along that may change every bucket's notifications.
    defaultChild.notificationConfiguration = { eventBridgeConfiguration: { eventBridgeEnabled: true } };
  }
}
