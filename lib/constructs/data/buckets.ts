import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { ManagedPolicy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { BlockPublicAccess, Bucket, BucketEncryption, CfnBucket, HttpMethods, type IBucket } from 'aws-cdk-lib/aws-s3';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { longAudio } from '#contract/audio/transcription.ts';
import { maxContentDays } from '#contract/requests/stored-content.ts';
import { cast } from '#lib/shared-props.ts';

/** Retention of undeleted files. Jobs end within eight hours. */
const leftoverDays = 2;

export interface AudioFilesProps {
  /** Origins that may upload files. May contain one `*`. */
  readonly pageOrigin: string;
}

/**
 * Bucket for long audio, and the topic for the model's notifications. The model reads from `forms/` and writes to
 * `replies/` and `failures/`; its endpoint's role needs these permissions and the topic (docs/deploy.md#long-audio).
 */
export class AudioFiles extends Construct {
  readonly bucket: IBucket;
  readonly ends: ITopic;
  /** Attached to the endpoint's role. */
  readonly endpointPolicy: ManagedPolicy;

  constructor(scope: Construct, id: string, { pageOrigin }: AudioFilesProps) {
    super(scope, id);
    const leftovers = ['uploads/', 'forms/', 'replies/', 'failures/'].map((prefix) => ({
      prefix,
      expiration: Duration.days(leftoverDays),
    }));
    const bucket = new Bucket(this, 'Bucket', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      // The dashboard sends forms and reads the status of the response. It cannot read objects.
      cors: [{ allowedOrigins: [pageOrigin], allowedMethods: [HttpMethods.POST], maxAge: 3600 }],
      lifecycleRules: [
        ...leftovers,
        { prefix: 'texts/', expiration: Duration.days(longAudio.textDays + 1) },
        { abortIncompleteMultipartUploadAfter: Duration.days(1) },
      ],
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    });
    this.bucket = cast<IBucket>(bucket);
    const topic = new Topic(this, 'Ends', { enforceSSL: true });
    this.ends = cast<ITopic>(topic);
    const objects = (...prefixes: string[]) => prefixes.map((prefix) => bucket.arnForObjects(`${prefix}/*`));
    this.endpointPolicy = new ManagedPolicy(this, 'EndpointPolicy', {
      description: 'Permissions for the role of a long audio endpoint: its files and its notification topic',
      statements: [
        new PolicyStatement({ actions: ['s3:GetObject'], resources: objects('forms') }),
        new PolicyStatement({
          actions: ['s3:PutObject', 's3:AbortMultipartUpload'],
          resources: objects('replies', 'failures'),
        }),
        new PolicyStatement({ actions: ['s3:ListBucket'], resources: [bucket.bucketArn] }),
        new PolicyStatement({ actions: ['sns:Publish'], resources: [topic.topicArn] }),
      ],
    });
  }
}

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

/**
 * Bucket of stored prompts and responses (docs/adr/0046-stored-content.md). Not versioned and in no backup, so that
 * deletions are final. Objects expire by their tag, the days chosen for the API key.
 */
export class StoredContents extends Construct {
  readonly bucket: Bucket;
  readonly key: IKey;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    const key = new Key(this, 'Key', {
      description: 'Encrypts stored prompts and responses of the text AI platform',
      enableKeyRotation: true,
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    });
    this.key = cast<IKey>(key);
    this.bucket = new Bucket(this, 'Bucket', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.KMS,
      encryptionKey: this.key,
      // Reuses a data key for many objects, because each request to KMS is charged.
      bucketKeyEnabled: true,
      enforceSSL: true,
      lifecycleRules: Array.from({ length: maxContentDays }, (_, index) => ({
        tagFilters: { days: String(index + 1) },
        expiration: Duration.days(index + 1),
      })),
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    });
  }
}
