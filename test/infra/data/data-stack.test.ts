import { expect, test } from 'vitest';
import { type TableSpec, tables } from '#contract/platform/resources.ts';
import { otherStage } from '#test/stages/other-stage.ts';
import { payingStage } from '#test/stages/paying-stage.ts';
import { ofType, pathOf, synthesise } from '../synth.ts';

const specs: readonly TableSpec[] = Object.values(tables);
const { data } = await synthesise();
const other = await synthesise({ stage: otherStage, buffered: true });
const sharing = await synthesise({ stage: payingStage });
const deployed = new Map(ofType(data, 'AWS::DynamoDB::GlobalTable').map(([, table]) => [pathOf(table), table]));

test('the data stack deploys exactly the tables of the contract', () => {
  expect([...deployed.keys()].toSorted()).toEqual(specs.map(({ name }) => name).toSorted());
});

test('every table is created after the email identity, so that a failed identity leaves no table behind', () => {
  const [[id] = []] = ofType(data, 'AWS::SES::EmailIdentity');
  for (const table of deployed.values()) expect(table.DependsOn).toContain(id);
});

test('a stage with an existing key, identity and role creates none, and one with a shared identity or role neither', () => {
  expect(ofType(other.data, 'AWS::KMS::Key')).toEqual([]);
  for (const stack of [sharing.data, sharing.api, other.data, other.api])
    for (const type of ['AWS::SES::EmailIdentity', 'AWS::ApiGateway::Account']) expect(ofType(stack, type)).toEqual([]);
});

test('the long-audio bucket accepts forms only from pages of the stage’s own front', () => {
  const rules = ofType(other.data, 'AWS::S3::Bucket').map(([, { Properties }]) => Properties['CorsConfiguration']);
  expect(rules.filter(Boolean)).toEqual([
    { CorsRules: [{ AllowedOrigins: ['https://text.example.org'], AllowedMethods: ['POST'], MaxAge: 3600 }] },
  ]);
});
