import { describe, expect, test } from 'vitest';
import { allJobs } from '#contract/jobs.ts';
import { allRoutes, unknownRouteId } from '#contract/routes.ts';
import { payingStage } from '#test/stages/paying-stage.ts';
import { functionId, functionsOf, ofType, pathOf, synthesise } from '../synth.ts';
import { type Resource } from '../whole.ts';

const { api } = await synthesise({ stage: payingStage });
const rolledOut = [...allRoutes, ...allJobs].map(({ id }) => id).concat(unknownRouteId);

/**
 * Seconds in which new code receives a tenth of the calls (AWS CodeDeploy,
 * `CodeDeployDefault.LambdaCanary10Percent10Minutes`).
 */
const bakeSeconds = 600;

/** A function's resource of a type, with its logical id: a child of its id, or its deployment group. */
function partOf(type: string, id: string): { readonly ref: string; readonly part: Resource } {
  const parts = ofType(api, type).filter(
    ([, part]) => functionId(part) === id || pathOf(part).endsWith(`Rollout/${id}`),
  );
  expect(parts).toHaveLength(1);
  const [[ref, part] = []] = parts;
  return { ref: ref!, part: part! };
}

/** The alarm on the metric filtered from a function's log, with its logical id. */
function alarmOf(id: string): [ref: string, alarm: Resource] {
  const { MetricTransformations } = partOf('AWS::Logs::MetricFilter', id).part.Properties;
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

describe.each(rolledOut)('the rollout of %s', (id) => {
  test('shifts its own alias gradually, and is rolled back only by the alarm of its function', () => {
    const { ref, part } = partOf('AWS::CodeDeploy::DeploymentGroup', id);
    const [alarm] = alarmOf(id);
    expect(part.Properties).toMatchObject({
      DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent10Minutes',
      AutoRollbackConfiguration: { Enabled: true, Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_ALARM'] },
      AlarmConfiguration: { Enabled: true, Alarms: [{ Name: { Ref: alarm } }] },
    });
    const alias = partOf('AWS::Lambda::Alias', id).part;
    expect(alias).toMatchObject({
      Properties: { Name: 'live', FunctionName: { Ref: partOf('AWS::Lambda::Function', id).ref } },
      UpdatePolicy: {
        CodeDeployLambdaAliasUpdate: {
          ApplicationName: part.Properties['ApplicationName'],
          DeploymentGroupName: { Ref: ref },
        },
      },
    });
  });

  test('watches the failures in the log of its function, within half of the bake time', () => {
    const log = partOf('AWS::Logs::LogGroup', id).ref;
    expect(partOf('AWS::Logs::MetricFilter', id).part.Properties['LogGroupName']).toEqual({ Ref: log });
    expect(functionsOf(api).get(id)!.Properties['LoggingConfig']).toMatchObject({ LogGroup: { Ref: log } });
    const [, alarm] = alarmOf(id);
    const { Period, EvaluationPeriods } = alarm.Properties as { Period: number; EvaluationPeriods: number };
    expect(2 * Period * EvaluationPeriods).toBeLessThanOrEqual(bakeSeconds);
  });

  test('retains the previous version for a rollback', () => {
    const version = partOf('AWS::Lambda::Version', id);
    expect(version.part).toMatchObject({ DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' });
    expect(partOf('AWS::Lambda::Alias', id).part.Properties['FunctionVersion']).toEqual({
      'Fn::GetAtt': [version.ref, 'Version'],
    });
  });
});

test('callers reach every route by its alias, never by a version', () => {
  const aliases = new Set(ofType(api, 'AWS::Lambda::Alias').map(([ref]) => ref));
  const uris = ofType(api, 'AWS::ApiGateway::Method').map(([, { Properties }]) =>
    JSON.stringify((Properties['Integration'] as { Uri?: unknown }).Uri),
  );
  for (const uri of uris) expect([...aliases].some((ref) => uri.includes(`"Ref":"${ref}"`))).toBe(true);
});
