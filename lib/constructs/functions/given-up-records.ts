import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { DlqDestinationConfig, IEventSourceDlq, IEventSourceMapping, IFunction } from 'aws-cdk-lib/aws-lambda';
import { BlockPublicAccess, Bucket, BucketEncryption, CfnBucket } from 'aws-cdk-lib/aws-s3';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

/** Prefix of the keys that Lambda gives its objects (AWS "Retain discarded records for a DynamoDB event source in Lambda"). */
const keyPrefix = 'aws/lambda/';
const retention = Duration.days(365);

/**
 * A bucket into which Lambda writes the records of a stream that it gives up, whole, and metadata: `npm run replay` takes its
 * objects. Each new object is a message in the job's dead-letter queue, whose alarm rings.
 */
export class GivenUpRecords extends Construct implements IEventSourceDlq {
  readonly #bucket: Bucket;

  constructor(scope: Construct, id: string, deadLetters: Queue) {
    super(scope, id);
    this.#bucket = new Bucket(this, 'Bucket', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      lifecycleRules: [{ expiration: retention }],
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    });
    this.#announce(deadLetters);
  }

  bind(_mapping: IEventSourceMapping, fn: IFunction): DlqDestinationConfig {
    const { bucketArn } = this.#bucket;
    fn.addToRolePolicy(
      new PolicyStatement({ actions: ['s3:PutObject'], resources: [this.#bucket.arnForObjects(`${keyPrefix}*`)] }),
    );
    fn.addToRolePolicy(new PolicyStatement({ actions: ['s3:ListBucket'], resources: [bucketArn] }));
    return { destination: bucketArn };
  }

  /** By EventBridge: a notification of S3 itself begins with a test message, which would ring the alarm. */
  #announce(queue: Queue): void {
    const { defaultChild } = this.#bucket.node;
    if (!(defaultChild instanceof CfnBucket)) throw new Error('Bucket no longer creates a bucket');
    // Not CDK's eventBridgeEnabled, which brings a function along that may change every bucket's notifications.
    defaultChild.notificationConfiguration = { eventBridgeConfiguration: { eventBridgeEnabled: true } };
    const eventPattern = {
      source: ['aws.s3'],
      detailType: ['Object Created'],
      detail: { bucket: { name: [this.#bucket.bucketName] } },
    };
    new Rule(this, 'Announcement', { eventPattern }).addTarget(new SqsQueue(queue, { deadLetterQueue: queue }));
  }
}
