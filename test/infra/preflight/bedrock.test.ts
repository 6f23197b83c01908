import { expect, test } from 'vitest';
import { live, parseStage } from '#lib/stages.ts';
import { preflight } from '../../../bin/preflight/checks.ts';
import { type Stub, useStubAws } from '../stub-aws.ts';
import { failure, readyAccount } from './account.ts';

const stage = parseStage({ ...live, env: { account: '111111111111', region: 'eu-west-1' } });

const aws = await useStubAws();

const available = {
  authorizationStatus: 'AUTHORIZED',
  entitlementAvailability: 'AVAILABLE',
  regionAvailability: 'AVAILABLE',
  agreementAvailability: { status: 'AVAILABLE' },
};
const nova = 'amazon.nova-lite-v1:0';
test.each<[found: string, model: string, changes: Stub, result: RegExp]>([
  [
    'available',
    nova,
    { [`GetFoundationModelAvailability ${nova}`]: { body: available } },
    /^ok: .* call it in us-east-1/,
  ],
  [
    'behind a profile',
    `us.${nova}`,
    {
      [`GetInferenceProfile us.${nova}`]: { body: { status: 'ACTIVE' } },
      [`GetFoundationModelAvailability ${nova}`]: { body: available },
    },
    /^ok: /,
  ],
  [
    'without an agreement',
    nova,
    {
      GetFoundationModelAvailability: {
        body: { ...available, agreementAvailability: { status: 'NOT_AVAILABLE' } },
      },
    },
    /^missing: The account may not call amazon.nova-lite-v1:0 in us-east-1: accept its agreement/,
  ],
  [
    'in another region',
    nova,
    { GetFoundationModelAvailability: { body: { ...available, regionAvailability: 'NOT_AVAILABLE' } } },
    /^missing: .* not available in us-east-1/,
  ],
  [
    'unknown',
    nova,
    { GetFoundationModelAvailability: failure('ResourceNotFoundException', 'no') },
    /^missing: .* does not exist in us-east-1/,
  ],
  [
    'behind an unknown profile',
    `us.${nova}`,
    { GetInferenceProfile: failure('ValidationException', 'no') },
    /^missing: .* does not exist in us-east-1/,
  ],
  ['not readable', nova, { GetFoundationModelAvailability: failure('AccessDeniedException', 'no') }, /^unknown: /],
  [
    'an own model',
    'arn:aws:bedrock:us-east-1:111111111111:imported-model/abc',
    {},
    /^ok: an ARN, which is not checked/,
  ],
])('a model of Bedrock that is %s', async (_, model, changes, result) => {
  aws.play({ ...readyAccount, ...changes });
  const endpoints = new Map([['svc-code', [{ kind: 'bedrock', model, region: 'us-east-1' } as const]]]);
  const results = await preflight({ ...stage, models: { ...stage.models, endpoints } });
  const found = results.find(({ name }) => name === `Bedrock ${model}`);
  expect(`${found?.status}: ${found?.detail}`).toMatch(result);
});
