import { afterEach, expect, test, vi } from 'vitest';
import { createPlatform } from '#lib/stacks/platform.ts';
import { live, parseStage } from '#lib/stages.ts';
import { hostedModel } from '#test/stages/hosted-model.ts';
import { newApp } from '../stacks.ts';

afterEach(() => vi.unstubAllEnvs());

const platform = (env: object | null, buffered = false) =>
  createPlatform(newApp(), { stage: parseStage({ ...live, env }), buffered, dashboard: null });

const inRegion = (region: string) => ({ account: '111111111111', region });

test('synthesis refuses a region without response streaming, unless responses are buffered', () => {
  const refusal = /response streaming is not available in us-gov-west-1.*--context buffered=true/;
  expect(() => platform(inRegion('us-gov-west-1'))).toThrow(refusal);
  expect(() => platform(inRegion('us-gov-west-1'), true)).not.toThrow();
  expect(() => platform(inRegion('eu-west-1'))).not.toThrow();
});

test('the region of the deployer’s credentials counts where the stage names none', () => {
  vi.stubEnv('CDK_DEFAULT_REGION', 'cn-north-1');
  expect(() => platform(null)).toThrow(/not available in cn-north-1/);
  vi.stubEnv('CDK_DEFAULT_REGION', undefined);
  expect(() => platform(null)).not.toThrow();
});

test('synthesis refuses the image of a model in a registry of another region than the deployer’s', () => {
  const stage = parseStage({ ...live, models: { ...live.models, hosted: { 'svc-1': hostedModel } } });
  const deploy = () => createPlatform(newApp(), { stage, buffered: false, dashboard: null });
  vi.stubEnv('CDK_DEFAULT_REGION', 'us-east-1');
  expect(deploy).toThrow(/^models\.hosted\.svc-1\.image must be in a registry of us-east-1/);
  vi.stubEnv('CDK_DEFAULT_REGION', 'eu-west-1');
  expect(deploy).not.toThrow();
});
