import { expect, test } from 'vitest';
import { allJobs } from '#contract/jobs.ts';
import { allRoutes, unknownRouteId } from '#contract/routes.ts';
import { payingStage } from '#test/stages/paying-stage.ts';
import { functionId, ofType, synthesise } from '../synth.ts';

const { api } = await synthesise({ stage: payingStage });
const rolledOut = [...allRoutes, ...allJobs].map(({ id }) => id).concat(unknownRouteId);

test('every route and every job has its own rollout, and nothing else has one', () => {
  expect(ofType(api, 'AWS::CodeDeploy::DeploymentGroup')).toHaveLength(rolledOut.length);
  const shifted = ofType(api, 'AWS::Lambda::Alias').filter(([, alias]) => 'UpdatePolicy' in alias);
  expect(new Set(shifted.map(([, alias]) => functionId(alias)))).toEqual(new Set(rolledOut));
});

test('callers reach every route by its alias, never by a version', () => {
  const aliases = new Set(ofType(api, 'AWS::Lambda::Alias').map(([ref]) => ref));
  const uris = ofType(api, 'AWS::ApiGateway::Method').map(([, { Properties }]) =>
    JSON.stringify((Properties['Integration'] as { Uri?: unknown }).Uri),
  );
  for (const uri of uris) expect([...aliases].some((ref) => uri.includes(`"Ref":"${ref}"`))).toBe(true);
});
