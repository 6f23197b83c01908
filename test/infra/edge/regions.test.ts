import { afterEach, expect, test, vi } from 'vitest';
import { checkImages } from '#lib/hosted-model.ts';
import { createPlatform } from '#lib/stacks/platform.ts';
import { live, parseStage } from '#lib/stages.ts';
import { hostedModel } from '#test/stages/hosted-model.ts';
import { newApp } from '../stacks.ts';

afterEach(() => vi.unstubAllEnvs());

const deploy = (choices: object, buffered = false) => {
  createPlatform(newApp(), { stage: parseStage({ ...live, ...choices }), buffered, dashboard: null });
};
const env = { account: '111111111111', region: 'us-gov-west-1' };
const hosting = { models: { ...live.models, hosted: { 'svc-1': hostedModel } } };

test('synthesis refuses a region without response streaming, unless responses are buffered', () => {
  const refusal = /response streaming is not available in us-gov-west-1.*--context buffered=true/;
  expect(() => deploy({ env })).toThrow(refusal);
  vi.stubEnv('CDK_DEFAULT_REGION', 'us-gov-west-1');
  expect(() => deploy({})).toThrow(refusal);
  // Reaches the next check.
  expect(() => deploy(hosting, true)).toThrow(/^models\.hosted\.svc-1\.image must be in a registry/);
});

test('a stage without a region is checked against the region of the deployer’s credentials', () => {
  vi.stubEnv('CDK_DEFAULT_REGION', 'cn-north-1');
  expect(() => deploy({})).toThrow(/not available in cn-north-1/);
  vi.stubEnv('CDK_DEFAULT_REGION', 'us-east-1');
  expect(() => deploy(hosting)).toThrow(/^models\.hosted\.svc-1\.image must be in a registry of us-east-1/);
  expect(() => checkImages(hosting.models.hosted, 'eu-west-1')).not.toThrow();
});
