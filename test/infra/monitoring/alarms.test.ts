import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Route } from '#contract/http/route.ts';
import { allJobs, canary } from '#contract/jobs.ts';
import { dimensions, metrics } from '#contract/platform/metrics.ts';
import { allRoutes, routeGroups, unknownRouteId } from '#contract/routes.ts';
import { fullStage } from '#test/stages/full-stage.ts';
import { functionsOf, ofType, pathOf, synthesise } from '../synth.ts';

const { api, monitoring } = await synthesise({ stage: fullStage });
const alarms = [...ofType(api, 'AWS::CloudWatch::Alarm'), ...ofType(monitoring, 'AWS::CloudWatch::Alarm')].map(
  ([, alarm]) => ({
    path: pathOf(alarm),
    properties: alarm.Properties as {
      AlarmDescription: string;
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

test.each(alarms)('$path states the impact on users and links to a section of the runbook', ({ properties }) => {
  const [, impact = '', section = ''] =
    /^(.+\.) Runbook: docs\/runbook\.md#([\w-]+)$/.exec(properties.AlarmDescription) ?? [];
  expect(impact.length).toBeGreaterThan(20);
  expect(sections).toContain(section);
});

test('failed runs of every function raise an alarm: its own if priced or a job, otherwise that of its resource', () => {
  const failing = alarms.filter(({ path }) => path.endsWith('/Failing') && !path.startsWith(canary.id));
  const watched = failing.map(({ properties }) => properties.MetricName);
  const own = [...allRoutes.filter(({ priced }) => priced), ...allJobs, { id: unknownRouteId }].map(({ id }) => id);
  const groups = Object.entries<readonly Route[]>(routeGroups);
  const resources = groups.filter(([, routes]) => routes.some(({ priced }) => !priced)).map(([name]) => name);
  expect(new Set(watched)).toEqual(new Set([...own, ...resources].map((name) => `failures of ${name}`)));
  expect(watched).toHaveLength(own.length + resources.length);
  // The canary publishes its own metric.
  expect(ofType(api, 'AWS::Logs::MetricFilter')).toHaveLength(functionsOf(api).size - 1);
});

test('every job has an alarm for its dead-letter queue, and every stream for its age', () => {
  const withAlarm = (name: string) =>
    alarms.filter(({ path }) => path.endsWith(`/${name}`)).map(({ path }) => path.split('/')[0]);
  expect(new Set(withAlarm('GaveUp'))).toEqual(new Set(allJobs.map(({ id }) => id)));
  const following = allJobs.filter(({ trigger }) => 'stream' in trigger).map(({ id }) => id);
  expect(new Set(withAlarm('Late'))).toEqual(new Set(following));
});

test('every section of the runbook belongs to an alarm or an operator task', () => {
  const linked = new Set(alarms.map(({ properties }) => /#([\w-]+)$/.exec(properties.AlarmDescription)?.[1]));
  const own = new Set([
    'a-model-is-scaled-to-zero',
    'routine-operations',
    'restore-a-table',
    'restore-from-another-account',
    'an-archived-month-cannot-be-read',
    'go-back',
    'before-a-rollback-with-lanes',
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
