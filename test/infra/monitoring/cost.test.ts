import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { allJobs } from '#contract/jobs.ts';
import { routes } from '#contract/routes.ts';
import { costAtZero, costOfCalls, table, writeUnits } from '#lib/cost.ts';
import { ofType, synthesise } from '../synth.ts';

const { data, api, monitoring } = await synthesise();
const guide = readFileSync(new URL('../../../docs/deploy.md', import.meta.url), 'utf8');

const count = (type: string) => [data, api, monitoring].flatMap((stack) => ofType(stack, type)).length;
const [[, acl] = []] = ofType(api, 'AWS::WAFv2::WebACL');
const alarmMetrics = [api, monitoring]
  .flatMap((stack) => ofType(stack, 'AWS::CloudWatch::Alarm'))
  .map(
    ([, { Properties }]) =>
      (Properties['Metrics'] as { MetricStat?: object }[] | undefined)?.filter(({ MetricStat }) => MetricStat).length ??
      1,
  );

const queueArns = new Set(ofType(api, 'AWS::SQS::Queue').map(([id]) => id));
const isQueue = ({ Properties }: { Properties: Record<string, unknown> }) =>
  queueArns.has((Properties['EventSourceArn'] as { 'Fn::GetAtt'?: [string] })['Fn::GetAtt']?.[0] ?? '');

const monthly = {
  keys: count('AWS::KMS::Key'),
  secrets: count('AWS::SecretsManager::Secret'),
  firewalls: count('AWS::WAFv2::WebACL'),
  firewallRules: (acl!.Properties['Rules'] as unknown[]).length,
  alarmMetrics: alarmMetrics.reduce((sum, metrics) => sum + metrics, 0),
  polledQueues: ofType(api, 'AWS::Lambda::EventSourceMapping').filter(([, source]) => isQueue(source)).length,
};

test('docs/deploy.md has the cost of the default stage in a month without traffic', () => {
  expect(guide).toContain(table(costAtZero(monthly)));
});

test('the default stage costs at most 23 dollars in a month without traffic', () => {
  expect(monthly.polledQueues).toBe(allJobs.filter(({ trigger }) => 'queue' in trigger).length);
  expect(costAtZero(monthly).reduce((sum, { usd }) => sum + usd, 0)).toBeLessThanOrEqual(23);
});

test('docs/deploy.md has the cost of a million chats of 3 s beside the model', () => {
  const { memoryMb } = routes.createChatCompletion;
  expect(guide).toContain(table(costOfCalls(1e6, { seconds: 3, memoryMb, responseBytes: 2000 })));
});

test('a million priced calls cost no more than 2.50 dollars of table in the path of the request', () => {
  expect(writeUnits.request * 0.625).toBeLessThanOrEqual(2.5);
});

test('without traffic nothing is charged beside the rows of that table: nothing runs', () => {
  const running = [
    'AWS::SageMaker::Endpoint',
    'AWS::EC2::NatGateway',
    'AWS::EC2::Instance',
    'AWS::ECS::Service',
    'AWS::RDS::DBInstance',
    'AWS::ElastiCache::CacheCluster',
    'AWS::ElasticLoadBalancingV2::LoadBalancer',
  ];
  expect(running.filter((type) => count(type) > 0)).toEqual([]);
  const provisioned = ofType(api, 'AWS::Lambda::Alias').filter(
    ([, alias]) => alias.Properties['ProvisionedConcurrencyConfig'],
  );
  expect(provisioned).toEqual([]);
  for (const [, { Properties }] of ofType(data, 'AWS::DynamoDB::GlobalTable'))
    expect(Properties['BillingMode']).toBe('PAY_PER_REQUEST');
});
