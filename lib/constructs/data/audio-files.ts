import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { ManagedPolicy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption, HttpMethods, type IBucket } from 'aws-cdk-lib/aws-s3';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { longAudio } from '#contract/audio/transcriptions.ts';
import { cast } from '#lib/shared-props.ts';

/** How long files are kept that nothing has deleted: a job ends within eight hours. */
const leftoverDays = 2;

export interface AudioFilesProps {
  /** The only pages that may send files; it may have one `*`. */
  readonly pageOrigin: string;
}

/**
 * The files of long audio, and the topic on which the model's ends are announced. What is written to `forms/` the model reads, to `replies/` and `failures/` it
 * writes: the role of its endpoint is given that, and the topic (docs/deploy.md#long-audio).
 */
export class AudioFiles extends Construct {
  readonly bucket: IBucket;
  readonly ends: ITopic;
  /** For the role of the endpoint. */
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
      // The page sends forms, and sees whether they were taken. It reads nothing here.
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
      description: 'What the role of an endpoint for long audio needs: its files, and the topic of its ends',
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
