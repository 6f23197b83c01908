import { marshall } from '@aws-sdk/util-dynamodb';
import { describe, expect, test } from 'vitest';
import { allJobs, jobs } from '#contract/jobs.ts';
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

const properties = (type: string, job: string): Record<string, unknown> =>
  ofType(template, type).find(([, part]) => functionId(part) === job)?.[1].Properties ?? {};
const jobsWith = (kind: 'queue' | 'logs' | 'everySeconds') => allJobs.filter(({ trigger }) => kind in trigger);

test("a job reserves the concurrency of the stage's settings, and a route reserves none", async () => {
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

test.each(jobsWith('queue'))(
  '$id hides a message for six times its timeout, and moves it to the dead-letter queue after the maximum attempts',
  ({ id, trigger, timeoutSeconds }) => {
    const { maxReceiveCount } = queues[('queue' in trigger && trigger.queue) as QueueId];
    expect(queuePart(id, 'Queue').part.Properties).toMatchObject({
      VisibilityTimeout: 6 * timeoutSeconds,
      RedrivePolicy: {
        deadLetterTargetArn: { 'Fn::GetAtt': [queuePart(id, 'DeadLetters').id, 'Arn'] },
        maxReceiveCount,
      },
    });
  },
);

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

test.each(jobsWith('everySeconds'))('$id runs at its interval', ({ id, trigger }) => {
  const seconds = 'everySeconds' in trigger ? trigger.everySeconds : 0;
  const rates: Record<number, string> = {
    60: 'rate(1 minute)',
    3600: 'cron(0 * * * ? *)',
    21_600: 'rate(6 hours)',
    86_400: 'rate(1 day)',
  };
  expect(properties('AWS::Events::Rule', id)['ScheduleExpression']).toBe(
    rates[seconds] ?? `rate(${seconds / 60} minutes)`,
  );
});

test.each(jobsWith('logs'))('$id receives the record lines of every priced function, and only those', ({ id }) => {
  const filters = ofType(template, 'AWS::Logs::SubscriptionFilter').map(([, { Properties }]) => Properties);
  const names = new Map(ofType(template, 'AWS::Logs::LogGroup').map(([group, part]) => [group, functionId(part)]));
  const followed = filters.map(({ LogGroupName }) => names.get((LogGroupName as { Ref: string }).Ref));
  const priced = allRoutes.flatMap((route) => (route.priced ? [route.id] : []));
  expect(followed).toHaveLength(priced.length);
  expect(new Set(followed)).toEqual(new Set(priced));
  for (const { FilterPattern } of filters) expect(FilterPattern).toBe(recordPattern);
  const permissions = ofType(template, 'AWS::Lambda::Permission').filter(([, part]) => functionId(part) === id);
  expect(permissions).toHaveLength(filters.length);
  for (const [, { Properties }] of permissions)
    expect(Properties).toMatchObject({
      Principal: 'logs.amazonaws.com',
      SourceArn: { 'Fn::GetAtt': [expect.any(String), 'Arn'] },
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

function queuePart(job: string, name: 'DeadLetters' | 'Queue') {
  const found = ofType(template, 'AWS::SQS::Queue').find(([, part]) => pathOf(part) === `${job}/Function/${name}`);
  if (!found) throw new Error(`${job} has no ${name}`);
  return { id: found[0], part: found[1] };
}

/** Returns whether a record with this new image passes the job's filters. */
function wakes(job: string, image: Record<string, unknown>): boolean {
  const { FilterCriteria } = properties('AWS::Lambda::EventSourceMapping', job) as {
    FilterCriteria: { Filters: { Pattern: string }[] };
  };
  const record = { dynamodb: { NewImage: marshall(image) } };
  return FilterCriteria.Filters.some(({ Pattern }) => lambdaPasses(JSON.parse(Pattern), record));
}
