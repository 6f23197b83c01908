import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Route } from '#contract/http/route.ts';
import { allJobs } from '#contract/jobs.ts';
import { dimensions, metrics } from '#contract/platform/metrics.ts';
import { allRoutes, routeGroups, unknownRouteId } from '#contract/routes.ts';
import { otherStage } from '#test/stages/other-stage.ts';
import { payingStage } from '#test/stages/paying-stage.ts';
import { functionsOf, ofType, pathOf, synthesise } from '../synth.ts';

const { api, monitoring } = await synthesise({ stage: payingStage });
const alarms = [...ofType(api, 'AWS::CloudWatch::Alarm'), ...ofType(monitoring, 'AWS::CloudWatch::Alarm')].map(
  ([, alarm]) => ({
    path: pathOf(alarm),
    properties: alarm.Properties as {
      AlarmDescription: string;
      AlarmActions?: unknown[];
      OKActions?: unknown[];
      TreatMissingData: string;
      MetricName?: string;
    },
  }),
);

const runbook = readFileSync(new URL('../../../docs/runbook.md', import.meta.url), 'utf8');
const sections = [...runbook.matchAll(/^## (.+)$/gm)].map(([, title = '']) =>
  title
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-'),
);

describe.each(alarms)('$path', ({ properties }) => {
  const [, impact = '', section = ''] =
    /^(.+\.) Runbook: docs\/runbook\.md#([\w-]+)$/.exec(properties.AlarmDescription) ?? [];

  test('states the impact on users and links to a section of the runbook', () => {
    expect(impact.length).toBeGreaterThan(20);
    expect(sections).toContain(section);
  });

  test('notifies when it starts and when it ends', () => {
    expect(properties.AlarmActions).toHaveLength(1);
    expect(properties.OKActions).toEqual(properties.AlarmActions);
  });
});

test('failed runs of every function raise an alarm: its own if priced or a job, otherwise that of its resource', () => {
  const watched = alarms.filter(({ path }) => path.endsWith('/Failing')).map(({ properties }) => properties.MetricName);
  const own = [...allRoutes.filter(({ priced }) => priced), ...allJobs, { id: unknownRouteId }].map(({ id }) => id);
  const groups = Object.entries<readonly Route[]>(routeGroups);
  const resources = groups.filter(([, routes]) => routes.some(({ priced }) => !priced)).map(([name]) => name);
  expect(new Set(watched)).toEqual(new Set([...own, ...resources].map((name) => `failures of ${name}`)));
  expect(watched).toHaveLength(own.length + resources.length);
  expect(ofType(api, 'AWS::Logs::MetricFilter')).toHaveLength(functionsOf(api).size);
});

test('the alarm of a function counts both 500 responses and crashes in its log', () => {
  const filters = ofType(api, 'AWS::Logs::MetricFilter').map(([, { Properties }]) => Properties) as {
    FilterPattern: string;
    MetricTransformations: readonly { MetricName: string }[];
  }[];
  const named = alarms.filter(({ path }) => path.endsWith('/Failing')).map(({ properties }) => properties.MetricName);
  expect(new Set(filters.map(({ MetricTransformations: [metric] }) => metric?.MetricName))).toEqual(new Set(named));
  for (const { FilterPattern } of filters) {
    expect(FilterPattern).toContain('$.status = 500');
    expect(FilterPattern).toContain('$.type = "platform.report" && $.record.status != "success"');
  }
  const formats = [...functionsOf(api).values()].map(({ Properties }) => Properties['LoggingConfig']);
  expect(new Set(formats.map((format) => (format as { LogFormat: string }).LogFormat))).toEqual(new Set(['JSON']));
});

test('every job has an alarm for its dead-letter queue, and every stream for its age', () => {
  const withAlarm = (name: string) =>
    alarms.filter(({ path }) => path.endsWith(`/${name}`)).map(({ path }) => path.split('/')[0]);
  expect(new Set(withAlarm('GaveUp'))).toEqual(new Set(allJobs.map(({ id }) => id)));
  const following = allJobs.filter(({ trigger }) => 'stream' in trigger).map(({ id }) => id);
  expect(new Set(withAlarm('Late'))).toEqual(new Set(following));
});

test('failures that no single function shows raise an alarm of the whole service', () => {
  const service = alarms
    .filter(({ path }) => path.startsWith('Service/'))
    .map(({ path }) => path.replace('Service/', ''));
  expect(service.toSorted()).toEqual([
    'Bounces',
    'Complaints',
    'ConcurrencyClaimed',
    'FunctionsThrottled',
    'LostSettlements',
    'ModelFailures',
    'OverdueHold',
    'PaymentDifferences',
    'RefusedPayments',
    'RejectedMails',
    'ServerErrors',
    'SlowFirstByte',
    'TablesThrottled',
    'Unavailable',
  ]);
});

test('the alarm on claimed concurrency uses the threshold of the stage, once for the account', async () => {
  const other = await synthesise({ stage: otherStage, buffered: true });
  const thresholds = [monitoring, other.monitoring].map((stack) =>
    ofType(stack, 'AWS::CloudWatch::Alarm').find(([, alarm]) => pathOf(alarm) === 'Service/ConcurrencyClaimed'),
  );
  const expected = { Namespace: 'AWS/Lambda', MetricName: 'ClaimedAccountConcurrency', Statistic: 'Maximum' };
  expect(thresholds[0]![1].Properties).toMatchObject({ ...expected, Threshold: 800 });
  expect(thresholds[1]![1].Properties).toMatchObject({ ...expected, Threshold: 40 });
  expect(thresholds[0]![1].Properties).not.toHaveProperty('Dimensions');
});

test('a sweep without metrics raises an alarm', () => {
  const { properties } = alarms.find(({ path }) => path === 'Service/OverdueHold')!;
  expect(properties.TreatMissingData).toBe('breaching');
});

test('every section of the runbook belongs to an alarm or an operator task', () => {
  const linked = new Set(alarms.map(({ properties }) => /#([\w-]+)$/.exec(properties.AlarmDescription)?.[1]));
  const own = new Set([
    'the-canary-fails',
    'a-model-is-scaled-to-zero',
    'backups-fail',
    'routine-operations',
    'restore-a-table',
    'restore-from-another-account',
    'an-archived-month-cannot-be-read',
    'go-back',
  ]);
  expect(sections.filter((section) => !linked.has(section) && !own.has(section))).toEqual([]);
});

test('the dashboard shows every metric of the functions, and the AWS usage metrics that are billed', () => {
  const [[, dashboard] = []] = ofType(monitoring, 'AWS::CloudWatch::Dashboard');
  const body = JSON.stringify(dashboard!.Properties);
  for (const metric of Object.values(metrics)) expect(body).toContain(metric);
  for (const dimension of Object.values(dimensions)) expect(body).toContain(dimension);
  for (const title of [
    'Requests',
    'First byte',
    'Refusals by cause',
    'Credits charged',
    'Model errors',
    'Stream lag',
    'Oldest overdue hold',
    'Cost:',
  ]) {
    expect(body).toContain(title);
  }
});
