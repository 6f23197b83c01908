import { expect, test } from 'vitest';
import { stageNamed } from '#lib/stages.ts';
import { ofType, synthesise } from './synth.ts';

test("the templates obey CloudFormation's rules", { timeout: 120_000 }, () => {
  expect(() => synthesise({ validate: true })).not.toThrow();
});

test('a stage may name its account and region', () => {
  const env = { account: '111111111111', region: 'eu-west-1' };
  const { data } = synthesise({ stage: { ...stageNamed('live'), env } });
  const regions = ofType(data, 'AWS::DynamoDB::GlobalTable').map(([, { Properties }]) => Properties['Replicas']);
  for (const replicas of regions) expect(replicas).toMatchObject([{ Region: 'eu-west-1' }]);
});

test('a stage that does not exist is refused by name', () => {
  expect(() => stageNamed('prod')).toThrow(/prod.*there are: live/);
});
