import { describe, expect, test } from 'vitest';
import { type TableSpec, tables } from '#contract/platform/resources.ts';
import { stageNamed } from '#lib/stages.ts';
import { otherStage } from '#test/stages/other-stage.ts';
import { ofType, pathOf, synthesise } from '../synth.ts';

const specs: readonly TableSpec[] = Object.values(tables);
const { data } = await synthesise();
const other = await synthesise({ stage: otherStage, buffered: true });
const deployed = new Map(ofType(data, 'AWS::DynamoDB::GlobalTable').map(([, table]) => [pathOf(table), table]));

test('the data stack deploys exactly the tables of the contract', () => {
  expect([...deployed.keys()].toSorted()).toEqual(specs.map(({ name }) => name).toSorted());
});

describe.each(specs)('table $name', (spec) => {
  test('has the keys, stream, expiry and indexes of its specification', () => {
    const properties = deployed.get(spec.name)?.Properties ?? {};
    expect(properties['KeySchema']).toEqual(keySchema(spec));
    expect(properties['StreamSpecification']).toEqual(
      spec.stream && { StreamViewType: spec.stream === 'new' ? 'NEW_IMAGE' : 'NEW_AND_OLD_IMAGES' },
    );
    const expiry = spec.ttlAttribute && { AttributeName: spec.ttlAttribute, Enabled: true };
    expect(properties['TimeToLiveSpecification']).toEqual(expiry);
    const indexes = Object.entries(spec.indexes ?? {}).map(([IndexName, index]) => ({
      IndexName,
      KeySchema: keySchema(index),
      Projection: { ProjectionType: index.hasItems ? 'ALL' : 'KEYS_ONLY' },
    }));
    expect(properties['GlobalSecondaryIndexes'] ?? []).toEqual(indexes);
  });
});

test('every table is created after the email identity, so that a failed identity leaves no table behind', () => {
  const [[id] = []] = ofType(data, 'AWS::SES::EmailIdentity');
  for (const table of deployed.values()) expect(table.DependsOn).toContain(id);
});

test('a stage with an existing key, identity and role creates none, and one with a shared identity or role neither', async () => {
  const staging = await synthesise({ stage: stageNamed('staging') });
  expect(stageNamed('staging').mail.identityOwner).toBe('live');
  expect(ofType(other.data, 'AWS::KMS::Key')).toEqual([]);
  for (const stack of [staging.data, staging.api, other.data, other.api])
    for (const type of ['AWS::SES::EmailIdentity', 'AWS::ApiGateway::Account']) expect(ofType(stack, type)).toEqual([]);
});

test('the long-audio bucket accepts forms only from pages of the stage’s own front', () => {
  const rules = ofType(other.data, 'AWS::S3::Bucket').map(([, { Properties }]) => Properties['CorsConfiguration']);
  expect(rules.filter(Boolean)).toEqual([
    { CorsRules: [{ AllowedOrigins: ['https://text.example.org'], AllowedMethods: ['POST'], MaxAge: 3600 }] },
  ]);
});

function keySchema({ partitionKey, sortKey }: Pick<TableSpec, 'partitionKey' | 'sortKey'>) {
  const range = sortKey ? [{ AttributeName: sortKey.name, KeyType: 'RANGE' }] : [];
  return [{ AttributeName: partitionKey.name, KeyType: 'HASH' }, ...range];
}
