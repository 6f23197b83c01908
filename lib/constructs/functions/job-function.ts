import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { type EventPattern, Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction, SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  type DlqDestinationConfig,
  FilterCriteria,
  type IEventSourceDlq,
  type IEventSourceMapping,
  type IFunction,
  StartingPosition,
} from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import { FilterPattern, type ILogGroup, SubscriptionFilter } from 'aws-cdk-lib/aws-logs';
import { LambdaDestination } from 'aws-cdk-lib/aws-logs-destinations';
import { BlockPublicAccess, Bucket, BucketEncryption, CfnBucket } from 'aws-cdk-lib/aws-s3';
import { CfnSubscription, type ITopic } from 'aws-cdk-lib/aws-sns';
import { Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Job, QueueTrigger, StreamTrigger } from '#contract/jobs.ts';
import { recordPattern } from '#contract/platform/request-record.ts';
import { eventPatterns, queues, type TypedAttribute, visibilityTimeoutSeconds } from '#contract/platform/resources.ts';
import type { AudioFiles } from '#lib/constructs/data/buckets.ts';
import { type Mail, receiptPattern } from '#lib/constructs/data/mail.ts';
import type { Tables } from '#lib/constructs/data/tables.ts';
import { fiveMinutes, userAlarm } from '#lib/constructs/monitoring/alarms.ts';
import type { SharedProps } from '#lib/shared-props.ts';
import { jobTracing, ServiceFunction, type ServiceFunctionProps } from './service-function.ts';

export interface JobFunctionProps extends SharedProps, Pick<ServiceFunctionProps, 'entry'> {
  /** Definition of the job in the contract. */
  readonly job: Job;
  /** Tables whose streams trigger jobs. */
  readonly tables: Tables;
  /** Source of bounce and complaint events. */
  readonly mail: Mail;
  /** Source of transcription results. */
  readonly audio: AudioFiles;
  /** Log groups of the functions with recorded requests, by route id. */
  readonly recordedLogs: ReadonlyMap<string, ILogGroup>;
}

/** Iterator age in ms above which an alarm fires. */
const maxAgeMs = 300_000;

/** A job, its trigger, and its dead-letter queue. */
export class JobFunction extends ServiceFunction {
  readonly deadLetters: Queue;
  readonly isOnStream: boolean;
  readonly feature: string;
  /** The queue that it consumes, if any. */
  readonly queue: Queue | undefined;

  constructor(scope: Construct, id: string, { job, tables, mail, audio, recordedLogs, ...props }: JobFunctionProps) {
    const { summary: description, timeoutSeconds, impact, trigger, uses } = job;
    const reservedConcurrency = props.stage.reservedConcurrency[job.id];
    const sendsToItself = 'queue' in trigger && (uses.queues ?? []).includes(trigger.queue);
    super(scope, id, {
      ...props,
      uses,
      description,
      timeoutSeconds,
      failing: impact,
      reservedConcurrency,
      sendsToItself,
      tracing: jobTracing,
      memoryMb: 512,
    });
    this.deadLetters = new JobQueue(this, 'DeadLetters', { retentionPeriod: maxRetention });
    userAlarm(this, 'GaveUp', {
      metric: this.deadLetters.metricApproximateNumberOfMessagesVisible({ period: fiveMinutes }),
      above: 0,
      impact: `Until an operator intervenes: ${impact}`,
      runbook: 'a-job-gave-up',
      topic: props.alarms,
    });
    this.isOnStream = 'stream' in trigger;
    this.feature = job.feature;
    this.queue = 'queue' in trigger ? this.#consume(trigger, job) : undefined;
    if ('stream' in trigger) {
      this.#followStream(tables, trigger);
      userAlarm(this, 'Late', {
        metric: this.age(fiveMinutes),
        above: maxAgeMs,
        impact: `Delayed by minutes: ${impact}`,
        runbook: 'a-stream-lags',
        topic: props.alarms,
      });
    } else if ('events' in trigger) {
      const { events } = trigger;
      if (events === 'transcriptions') this.#follow(audio.ends);
      else this.#subscribe({ 'mail feedback': mail.feedback, 'message receipts': receiptPattern }[events]);
    } else if ('logs' in trigger) this.#followLogs(recordedLogs);
    else if ('everySeconds' in trigger) this.#runEvery(trigger.everySeconds);
  }

  age(period: Duration): IMetric {
    return this.alias.metric('IteratorAge', { statistic: 'Maximum', period });
  }

  #followStream(tables: Tables, trigger: StreamTrigger): void {
    const table = tables[trigger.stream];
    table.grantStreamRead(this);
    this.live.addEventSourceMapping('Stream', {
      ...(table.tableStreamArn && { eventSourceArn: table.tableStreamArn }),
      startingPosition: StartingPosition.TRIM_HORIZON,
      filters: filtersFor(trigger.newImageHas),
      parallelizationFactor: trigger.concurrentBatches,
      reportBatchItemFailures: true,
      bisectBatchOnError: true,
      maxRecordAge: Duration.hours(trigger.maxRecordAgeHours),
      onFailure:
        trigger.discarded === 'records'
          ? new DiscardedRecords(this, 'GivenUp', this.deadLetters)
          : new SqsDlq(this.deadLetters),
    });
  }

  /** A failed message is hidden for the visibility timeout, and moves to the dead-letter queue after its retries. */
  #consume({ queue: id, maxConcurrency, batchSize }: QueueTrigger, job: Job): Queue {
    const { maxReceiveCount } = queues[id];
    const queue = new JobQueue(this, 'Queue', {
      visibilityTimeout: Duration.seconds(visibilityTimeoutSeconds(job)),
      retentionPeriod: maxRetention,
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount },
    });
    queue.grantConsumeMessages(this);
    this.live.addEventSourceMapping('Messages', {
      eventSourceArn: queue.queueArn,
      reportBatchItemFailures: true,
      ...(maxConcurrency !== undefined && { maxConcurrency }),
      ...(batchSize !== undefined && { batchSize }),
    });
    return queue;
  }

  /** CloudWatch Logs invokes asynchronously; a failed run is retried twice. */
  #followLogs(logGroups: ReadonlyMap<string, ILogGroup>): void {
    this.#retryTwice();
    const destination = new LambdaDestination(this.live);
    const filterPattern = FilterPattern.literal(recordPattern);
    for (const [id, logGroup] of logGroups)
      new SubscriptionFilter(this, `Log-${id}`, { logGroup, destination, filterPattern });
  }

  #retryTwice(): void {
    this.live.configureAsyncInvoke({ retryAttempts: 2, onFailure: new SqsDestination(this.deadLetters) });
  }

  /** SNS retries delivery to a function for 23 days; Lambda retries a failed run twice. */
  #follow(topic: ITopic): void {
    this.#retryTwice();
    const { topicArn } = topic;
    // CDK's LambdaSubscription is not used, because it makes the subscription's stack depend on the topic's stack, the
    // parent of this one.
    const principal = new ServicePrincipal('sns.amazonaws.com');
    this.live.addPermission('Ends', { principal, sourceArn: topicArn });
    this.deadLetters.addToResourcePolicy(
      new PolicyStatement({
        principals: [principal],
        actions: ['sqs:SendMessage'],
        resources: [this.deadLetters.queueArn],
        conditions: { ArnEquals: { 'aws:SourceArn': topicArn } },
      }),
    );
    new CfnSubscription(this, 'EndsSubscription', {
      topicArn,
      protocol: 'lambda',
      endpoint: this.live.functionArn,
      redrivePolicy: { deadLetterTargetArn: this.deadLetters.queueArn },
    });
  }

  /** EventBridge retries delivery for a day; Lambda retries a failed run twice. */
  #subscribe(eventPattern: EventPattern): void {
    const deadLetterQueue = this.deadLetters;
    this.#retryTwice();
    const rule = new Rule(this, 'Events', { eventPattern });
    const delivery = { retryAttempts: 185, maxEventAge: Duration.hours(24) };
    rule.addTarget(new LambdaFunction(this.live, { ...delivery, deadLetterQueue }));
  }

  /** A failed run is not retried, because the next one repeats its work. */
  #runEvery(seconds: number): void {
    this.live.configureAsyncInvoke({ retryAttempts: 0, onFailure: new SqsDestination(this.deadLetters) });
    // At the full hour, so that the list of accounts can name the time of its next update.
    const schedule = seconds === 3600 ? Schedule.cron({ minute: '0' }) : Schedule.rate(Duration.seconds(seconds));
    const rule = new Rule(this, 'Schedule', { schedule });
    rule.addTarget(new LambdaFunction(this.live, { retryAttempts: 0, deadLetterQueue: this.deadLetters }));
  }
}

/**
 * Maximum of SQS. The image of the largest meter exceeds the former default of 256 KiB (docs/adr/0011-typed-jobs.md).
 */
const maxMessageSizeBytes = 1_048_576;

/** A queue with SQS encryption that requires TLS. */
class JobQueue extends Queue {
  constructor(scope: Construct, id: string, props: QueueProps) {
    super(scope, id, { ...props, encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true, maxMessageSizeBytes });
  }
}

/** Maximum retention of SQS. */
const maxRetention = Duration.days(14);

/** Key prefix of Lambda's objects (AWS "Retain discarded records for a DynamoDB event source in Lambda"). */
const keyPrefix = 'aws/lambda/';
const retention = Duration.days(365);

/**
 * Bucket for the records that a stream's event source discards. `npm run replay` reads its objects. Each new object
 * sends a message to the job's dead-letter queue, whose alarm fires.
 */
class DiscardedRecords extends Construct implements IEventSourceDlq {
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

  /** Uses EventBridge, because S3's own notifications start with a test message, which would trigger the alarm. */
  #announce(queue: Queue): void {
    const { defaultChild } = this.#bucket.node;
    if (!(defaultChild instanceof CfnBucket)) throw new Error('Bucket no longer creates a bucket');
    // CDK's eventBridgeEnabled is not used, because it adds a function that may change the notifications of every
    // bucket.
    defaultChild.notificationConfiguration = { eventBridgeConfiguration: { eventBridgeEnabled: true } };
    const eventPattern = {
      source: ['aws.s3'],
      detailType: ['Object Created'],
      detail: { bucket: { name: [this.#bucket.bucketName] } },
    };
    new Rule(this, 'Announcement', { eventPattern }).addTarget(new SqsQueue(queue, { deadLetterQueue: queue }));
  }
}

/** Event source filters for new images with this attribute. Local delivery applies the same filters. */
const filtersFor = (attribute: TypedAttribute) =>
  eventPatterns(attribute).map((pattern) => FilterCriteria.filter(pattern));
