import { expect, test } from 'vitest';
import { allJobs } from '#contract/jobs.ts';
import { allRoutes, unknownRouteId } from '#contract/routes.ts';
import { payingStage } from '#test/stages/paying-stage.ts';
import { functionId, ofType, pathOf, synthesise } from '../synth.ts';
import { type Resource } from '../whole.ts';

const { api } = await synthesise({ stage: payingStage });
const rolledOut = [...allRoutes, ...allJobs].map(({ id }) => id).concat(unknownRouteId);

/**
 * Seconds in which new code receives a tenth of the calls (AWS CodeDeploy,
 * `CodeDeployDefault.LambdaCanary10Percent10Minutes`).
 */
const bakeSeconds = 600;

/** A function's resource of a type, with its logical id: a child of its id, or its deployment group. */
function partOf(type: string, id: string): [ref: string, part: Resource] {
  const parts = ofType(api, type).filter(
    ([, part]) => functionId(part) === id || pathOf(part).endsWith(`Rollout/${id}`),
  );
  expect(parts).toHaveLength(1);
  return parts[0]!;
}

/** The alarm on the metric filtered from a function's log, with its logical id. */
function alarmOf(id: string): [ref: string, alarm: Resource] {
  const { MetricTransformations } = partOf('AWS::Logs::MetricFilter', id)[1].Properties;
  const [metric] = MetricTransformations as { MetricName: string; MetricNamespace: string }[];
  const found = ofType(api, 'AWS::CloudWatch::Alarm').filter(
    ([, { Properties }]) =>
      Properties['MetricName'] === metric!.MetricName && Properties['Namespace'] === metric!.MetricNamespace,
  );
  expect(found).toHaveLength(1);
  return found[0]!;
}

test('every route and every job has its own rollout, and nothing else has one', () => {
  expect(ofType(api, 'AWS::CodeDeploy::DeploymentGroup')).toHaveLength(rolledOut.length);
  const shifted = ofType(api, 'AWS::Lambda::Alias').filter(([, alias]) => 'UpdatePolicy' in alias);
  expect(new Set(shifted.map(([, alias]) => functionId(alias)))).toEqual(new Set(rolledOut));
});

test('each rollout is rolled back only by the alarm of its function, within half of its bake time', () => {
  for (const id of rolledOut) {
    const [ref, group] = partOf('AWS::CodeDeploy::DeploymentGroup', id);
    const [name, alarm] = alarmOf(id);
    expect(group.Properties['AlarmConfiguration']).toEqual({ Enabled: true, Alarms: [{ Name: { Ref: name } }] });
    const { Period, EvaluationPeriods } = alarm.Properties as { Period: number; EvaluationPeriods: number };
    expect(2 * Period * EvaluationPeriods).toBeLessThanOrEqual(bakeSeconds);
    expect(partOf('AWS::Lambda::Alias', id)[1]).toMatchObject({
      UpdatePolicy: { CodeDeployLambdaAliasUpdate: { DeploymentGroupName: { Ref: ref } } },
    });
  }
});

test('callers reach every route by its alias, never by a version', () => {
  const aliases = new Set(ofType(api, 'AWS::Lambda::Alias').map(([ref]) => ref));
  const uris = ofType(api, 'AWS::ApiGateway::Method').map(([, { Properties }]) =>
    JSON.stringify((Properties['Integration'] as { Uri?: unknown }).Uri),
  );
  for (const uri of uris) expect([...aliases].some((ref) => uri.includes(`"Ref":"${ref}"`))).toBe(true);
});
