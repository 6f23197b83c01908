import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { costOfCanary, table } from '#bench/cost/cost.ts';
import { canary } from '#contract/jobs.ts';
import { failedWalks } from '#contract/platform/metrics.ts';
import { live, parseStage } from '#lib/stages.ts';
import { fullStage } from '#test/stages/full-stage.ts';
import { hostedModel } from '#test/stages/hosted-model.ts';
import { otherStage } from '#test/stages/other-stage.ts';
import { functionId, functionsOf, ofType, pathOf, synthesise } from '../synth.ts';
import { type Resource } from '../whole.ts';

const without = await synthesise();
const on = await synthesise({ stage: fullStage });

const partsOf = (type: string, of = on): Resource[] =>
  ofType(of.api, type)
    .map(([, part]) => part)
    .filter((part) => functionId(part) === canary.id);
const variables = (of = on) =>
  (functionsOf(of.api).get(canary.id)!.Properties['Environment'] as { Variables: Record<string, unknown> }).Variables;

test('the canary is off and not deployed by default', () => {
  expect(parseStage(live).canary).toBeNull();
  expect(JSON.stringify(without)).not.toContain(canary.id);
  expect(JSON.stringify(without)).not.toContain(failedWalks);
});

describe('a stage with the canary', () => {
  test('permits only its rule to run the canary, which has no route and no queue', () => {
    const rule = ofType(on.api, 'AWS::Events::Rule').find(([, part]) => functionId(part) === canary.id);
    expect(partsOf('AWS::Lambda::Permission').map(({ Properties }) => Properties)).toMatchObject([
      { Principal: 'events.amazonaws.com', SourceArn: { 'Fn::GetAtt': [rule![0], 'Arn'] } },
    ]);
    expect(partsOf('AWS::Lambda::EventSourceMapping')).toEqual([]);
    const methods = ofType(on.api, 'AWS::ApiGateway::Method').map(([, { Properties }]) => JSON.stringify(Properties));
    expect(methods.filter((method) => method.includes('walkcanary'))).toEqual([]);
  });

  test('permits the canary to read and write accounts, and nothing else', () => {
    const granted = partsOf('AWS::IAM::Policy').flatMap(({ Properties }) => {
      const { Statement } = Properties['PolicyDocument'] as { Statement: { Action: string | string[] }[] };
      return Statement.flatMap(({ Action }) => Action);
    });
    const own = new Set([
      'logs:CreateLogStream',
      'logs:PutLogEvents',
      'xray:PutTelemetryRecords',
      'xray:PutTraceSegments',
    ]);
    expect(granted.filter((action) => !own.has(action)).toSorted()).toEqual(
      ['BatchGetItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'].map((action) => `dynamodb:${action}`),
    );
    const tables = Object.keys(variables()).filter((name) => name.endsWith('_TABLE'));
    expect(tables.filter((name) => name !== 'PLAN_TABLE')).toEqual(['ACCOUNTS_TABLE']);
  });

  test("points it at the callers' entry point: the edge, or the gateway without an edge", async () => {
    expect(variables()['CANARY_MODEL']).toBe('svc-code');
    expect(variables()['CANARY_ORIGIN']).toEqual(variables()['PUBLIC_ORIGIN']);
    const other = await synthesise({ stage: otherStage, buffered: true });
    expect(JSON.stringify(variables(other)['CANARY_ORIGIN'])).toMatch(/execute-api.*\/live"/);
  });
});

test.each([
  ['an unknown model', { model: 'gpt' }, {}, /canary\.model must be a chat model that every plan includes/],
  ['a model of larger plans only', { model: 'svc-1-32k' }, {}, /canary\.model must be a chat model that every plan/],
  ['an embedding model', { model: 'svc-embed' }, {}, /canary\.model must be a chat model/],
  ['a model that is scaled to zero', { model: 'svc-1' }, { 'svc-1': hostedModel }, /canary\.model.*keep it running/],
])('a stage with a canary that calls %s is refused', (_, chosen, hosted, message) => {
  const models = { endpoints: {}, hosted, translation: 'svc-1' };
  expect(() => parseStage({ ...live, models, canary: chosen })).toThrow(message);
});

test('docs/deploy.md states the monthly cost of the canary', () => {
  const guide = readFileSync(new URL('../../../docs/deploy.md', import.meta.url), 'utf8');
  expect(guide).toContain(table(costOfCanary()));
  expect(pathOf(partsOf('AWS::Lambda::Function')[0]!)).toBe(`${canary.id}/Function`);
});
