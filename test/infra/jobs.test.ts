import { marshall } from '@aws-sdk/util-dynamodb';
import { describe, expect, test } from 'vitest';
import { allJobs, type EventSource, jobs } from '#contract/jobs.ts';
import { queueVariables } from '#contract/platform/environment.ts';
import { recordPattern } from '#contract/platform/request-record.ts';
import { type QueueId, queues } from '#contract/platform/resources.ts';
import { allRoutes } from '#contract/routes.ts';
import { stageNamed } from '#lib/stages.ts';
import { mailRow } from '#repositories/accounts/account-items.ts';
import { entryRow } from '#repositories/meter/meter-item.ts';
import { lambdaPasses } from '#test/database/event-filter.ts';
import { otherStage } from '#test/stages/other-stage.ts';
import { payingStage } from '#test/stages/paying-stage.ts';
import { functionId, functionsOf, ofType, pathOf, synthesise } from './synth.ts';
import { type Whole } from './whole.ts';

const { api: template } = await synthesise({ stage: payingStage });

const partsOf = (type: string) => new Map(ofType(template, type).map(([id, part]) => [functionId(part), { id, part }]));
const properties = (type: string, job: string): Record<string, unknown> =>
  partsOf(type).get(job)?.part.Properties ?? {};
const jobsWith = (kind: 'stream' | 'queue' | 'logs' | 'everySeconds') =>
  allJobs.filter(({ trigger }) => kind in trigger);
const jobsOn = (source: EventSource) =>
  allJobs.filter(({ trigger }) => 'events' in trigger && trigger.events === source);

describe.each(allJobs)('$id', ({ id }) => {
  test('has its own encrypted dead-letter queue, which keeps messages for 14 days', () => {
    expectGuarded(id, 'DeadLetters');
  });
});

test('a job has the concurrency that the stage reserves, and a route has none reserved', async () => {
  const reservedIn = (from: Whole) =>
    Object.fromEntries(
      [...functionsOf(from)].flatMap(([id, { Properties }]) =>
        'ReservedConcurrentExecutions' in Properties ? [[id, Properties['ReservedConcurrentExecutions']]] : [],
      ),
    );
  expect(reservedIn(template)).toEqual(stageNamed('live').reservedConcurrency);
  const other = await synthesise({ stage: otherStage, buffered: true });
  expect(reservedIn(other.api)).toEqual({ 'sweep-meters': 1, 'retry-ledger': 5 });
});

describe.each(jobsWith('stream'))('$id', ({ id }) => {
  const isLedger = id === jobs.projectLedger.id;
  const isOfMeters = isLedger || id === jobs.dispatchWebhooks.id;

  test('reads its stream from the start in order, and retries only failed records, for 2 or 23 hours', () => {
    expect(properties('AWS::Lambda::EventSourceMapping', id)).toMatchObject({
      StartingPosition: 'TRIM_HORIZON',
      ParallelizationFactor: isOfMeters ? 10 : 1,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      BisectBatchOnFunctionError: true,
      MaximumRecordAgeInSeconds: (isOfMeters ? 23 : 2) * 3600,
      DestinationConfig: { OnFailure: { Destination: isLedger ? bucketOf(id) : queueOf(id) } },
    });
  });
});

describe('discarded ledger records', () => {
  const { id } = jobs.projectLedger;
  const bucket = partsOf('AWS::S3::Bucket').get(id)!;

  test('are stored whole for a year in a private, encrypted, retained bucket', () => {
    expect(bucket.part).toMatchObject({
      DeletionPolicy: 'RetainExceptOnCreate',
      Properties: {
        BucketEncryption: { ServerSideEncryptionConfiguration: [expect.anything()] },
        PublicAccessBlockConfiguration: { BlockPublicAcls: true, RestrictPublicBuckets: true },
        LifecycleConfiguration: { Rules: [{ ExpirationInDays: 365, Status: 'Enabled' }] },
      },
    });
  });

  test('raise the alarm, because each new object becomes a message in the dead-letter queue', () => {
    expect(bucket.part.Properties).toMatchObject({
      NotificationConfiguration: { EventBridgeConfiguration: { EventBridgeEnabled: true } },
    });
    expect(properties('AWS::Events::Rule', id)).toMatchObject({
      EventPattern: {
        source: ['aws.s3'],
        'detail-type': ['Object Created'],
        detail: { bucket: { name: [{ Ref: bucket.id }] } },
      },
      Targets: [{ Arn: queueOf(id) }],
    });
  });
});

describe.each(jobsWith('queue'))('$id', (job) => {
  const { id, trigger } = job;

  test('consumes its own encrypted queue, over TLS only', () => {
    expectGuarded(id, 'Queue');
    expect(properties('AWS::Lambda::EventSourceMapping', id)).toMatchObject({
      EventSourceArn: queueOf(id, 'Queue'),
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ...(id === jobs.deliverWebhooks.id && { ScalingConfig: { MaximumConcurrency: 100 } }),
      ...(id === jobs.deliverSlowWebhooks.id && { ScalingConfig: { MaximumConcurrency: 50 } }),
    });
  });

  test('hides a message for six times its timeout, and moves it to the dead-letter queue after the maximum attempts', () => {
    const spec = queues[('queue' in trigger && trigger.queue) as QueueId];
    expect(queuePart(id, 'Queue').part.Properties).toMatchObject({
      VisibilityTimeout: 6 * job.timeoutSeconds,
      RedrivePolicy: { deadLetterTargetArn: queueOf(id), maxReceiveCount: spec.maxReceiveCount },
    });
  });
});

test('the sender of a queue has its URL in the environment', () => {
  const senders = [...allJobs, ...allRoutes].flatMap(({ id, uses }) =>
    (uses.queues ?? []).map((queue) => ({ id, queue })),
  );
  expect(senders.length).toBeGreaterThan(0);
  for (const { id, queue } of senders) {
    const consumer = allJobs.find(({ trigger }) => 'queue' in trigger && trigger.queue === queue);
    const { Environment } = functionsOf(template).get(id)!.Properties as { Environment: { Variables: object } };
    expect(Environment.Variables).toMatchObject({
      [queueVariables[queue]]: { Ref: queuePart(consumer?.id ?? '', 'Queue').id },
    });
  }
});

describe.each(jobsWith('everySeconds'))('$id', ({ id, trigger }) => {
  test('runs at its interval, and does not retry a failed run', () => {
    const seconds = 'everySeconds' in trigger ? trigger.everySeconds : 0;
    const rates: Record<number, string> = {
      60: 'rate(1 minute)',
      3600: 'rate(1 hour)',
      21_600: 'rate(6 hours)',
      86_400: 'rate(1 day)',
    };
    expect(properties('AWS::Events::Rule', id)).toMatchObject({
      ScheduleExpression: rates[seconds] ?? `rate(${seconds / 60} minutes)`,
      Targets: [{ DeadLetterConfig: { Arn: queueOf(id) }, RetryPolicy: { MaximumRetryAttempts: 0 } }],
    });
    expect(properties('AWS::Lambda::EventInvokeConfig', id)).toMatchObject({
      MaximumRetryAttempts: 0,
      DestinationConfig: { OnFailure: { Destination: queueOf(id) } },
    });
  });
});

describe.each(jobsOn('mail feedback'))('$id', ({ id }) => {
  test('retries the delivery for a day and a failed run twice, then keeps the event in its dead-letter queue', () => {
    expect(properties('AWS::Events::Rule', id)).toMatchObject({
      Targets: [
        {
          DeadLetterConfig: { Arn: queueOf(id) },
          RetryPolicy: { MaximumRetryAttempts: 185, MaximumEventAgeInSeconds: 86_400 },
        },
      ],
    });
    expect(properties('AWS::Lambda::EventInvokeConfig', id)).toMatchObject({
      MaximumRetryAttempts: 2,
      DestinationConfig: { OnFailure: { Destination: queueOf(id) } },
    });
  });

  test('is invoked only by its own rule', () => {
    const rule = partsOf('AWS::Events::Rule').get(id);
    const permissions = ofType(template, 'AWS::Lambda::Permission').filter(([, part]) => functionId(part) === id);
    expect(permissions.map(([, part]) => part.Properties)).toMatchObject([
      { Principal: 'events.amazonaws.com', SourceArn: { 'Fn::GetAtt': [rule?.id, 'Arn'] } },
    ]);
  });
});

describe.each(jobsWith('logs'))('$id', ({ id }) => {
  const filters = ofType(template, 'AWS::Logs::SubscriptionFilter').map(([, { Properties }]) => Properties);

  test('receives the record lines of every priced function, and no other lines', () => {
    const logs = ofType(template, 'AWS::Logs::LogGroup').map(([group, part]) => [group, functionId(part)] as const);
    const names = new Map(logs);
    const followed = filters.map(({ LogGroupName }) => names.get((LogGroupName as { Ref: string }).Ref));
    const priced = allRoutes.flatMap((route) => (route.priced ? [route.id] : []));
    expect(followed).toHaveLength(priced.length);
    expect(new Set(followed)).toEqual(new Set(priced));
    for (const { FilterPattern } of filters) expect(FilterPattern).toBe(recordPattern);
  });

  test('is invoked only by those log groups, and keeps failures in its dead-letter queue', () => {
    const permissions = ofType(template, 'AWS::Lambda::Permission').filter(([, part]) => functionId(part) === id);
    expect(permissions.length).toBe(filters.length);
    for (const [, { Properties }] of permissions)
      expect(Properties).toMatchObject({
        Principal: 'logs.amazonaws.com',
        SourceArn: { 'Fn::GetAtt': [expect.any(String), 'Arn'] },
      });
    expect(properties('AWS::Lambda::EventInvokeConfig', id)).toMatchObject({
      MaximumRetryAttempts: 2,
      DestinationConfig: { OnFailure: { Destination: queueOf(id) } },
    });
  });
});

describe('the filter of a stream job', () => {
  const { id: ledger } = jobs.projectLedger;
  const { id: mailer } = jobs.sendMail;

  test('passes to the ledger a meter on which a call ended, not one that admitted a call', () => {
    const last = [entryRow({ type: 'charge', at: 1, amount: -5 })];
    expect(wakes(ledger, { a: 1, seq: 7, h: {}, g: [['free', 1, 1, 1]], last })).toBe(true);
    expect(wakes(ledger, { a: 1, seq: 7, h: { r: [1, 2, 'chat'] }, g: [['free', 1, 1, 1]] })).toBe(false);
  });

  test('passes to the mailer a pending email, not a sent one or a user', () => {
    const waiting = mailRow({ id: 'm', to: 'a@example.com', subject: 's', text: 't', html: 'h' }, 0);
    const { outbox, ...sent } = waiting;
    expect(outbox).toBe('m');
    expect(wakes(mailer, waiting)).toBe(true);
    expect(wakes(mailer, sent)).toBe(false);
    expect(wakes(mailer, { pk: 'user#1', sk: 'user', email: 'a@example.com' })).toBe(false);
  });
});

type JobQueue = 'DeadLetters' | 'Queue';

function queuePart(job: string, name: JobQueue, type = 'AWS::SQS::Queue') {
  const found = ofType(template, type).find(([, part]) => pathOf(part).startsWith(`${job}/Function/${name}`));
  if (!found) throw new Error(`${job} has no ${name}`);
  return { id: found[0], part: found[1] };
}

function queueOf(job: string, name: JobQueue = 'DeadLetters') {
  return { 'Fn::GetAtt': [queuePart(job, name).id, 'Arn'] };
}

function bucketOf(job: string) {
  return { 'Fn::GetAtt': [partsOf('AWS::S3::Bucket').get(job)?.id, 'Arn'] };
}

function expectGuarded(job: string, name: JobQueue): void {
  expect(queuePart(job, name).part.Properties).toMatchObject({
    SqsManagedSseEnabled: true,
    MessageRetentionPeriod: 14 * 86_400,
  });
  expect(JSON.stringify(queuePart(job, name, 'AWS::SQS::QueuePolicy').part.Properties)).toContain(
    '{"Bool":{"aws:SecureTransport":"false"}},"Effect":"Deny"',
  );
}

/** Returns whether a record with this new image passes the job's filters. */
function wakes(job: string, image: Record<string, unknown>): boolean {
  const { FilterCriteria } = properties('AWS::Lambda::EventSourceMapping', job) as {
    FilterCriteria: { Filters: { Pattern: string }[] };
  };
  const record = { dynamodb: { NewImage: marshall(image) } };
  return FilterCriteria.Filters.some(({ Pattern }) => lambdaPasses(JSON.parse(Pattern), record));
}
