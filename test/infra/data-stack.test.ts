import { beforeAll, describe, expect, test } from 'vitest';
import { type TableSpec, tables } from '#contract/tables.ts';
import { ofType, pathOf, type Resource, synthesise } from './synth.ts';

const specs: readonly TableSpec[] = Object.values(tables);
let deployed: Map<string, Resource>;

beforeAll(async () => {
  const found = ofType((await synthesise()).data, 'AWS::DynamoDB::GlobalTable');
  deployed = new Map(found.map(([, table]) => [pathOf(table), table]));
});

test('exactly the tables of the contract are deployed', () => {
  expect([...deployed.keys()].toSorted()).toEqual(specs.map(({ name }) => name).toSorted());
});

describe.each(specs)('table $name', (spec) => {
  test('survives a deleted stack, a deleted table, a bad write and a stolen disk', () => {
    expect(deployed.get(spec.name)).toMatchObject({
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: {
        BillingMode: 'PAY_PER_REQUEST',
        SSESpecification: { SSEEnabled: true },
        Replicas: [
          { DeletionProtectionEnabled: true, PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } },
        ],
      },
    });
  });

  test('has the keys, stream, expiry and indexes of its row', () => {
    const properties = deployed.get(spec.name)?.Properties ?? {};
    expect(properties['KeySchema']).toEqual(keySchema(spec));
    expect(properties['StreamSpecification']).toEqual(spec.stream && { StreamViewType: 'NEW_IMAGE' });
    const expiry = spec.ttlAttribute && { AttributeName: spec.ttlAttribute, Enabled: true };
    expect(properties['TimeToLiveSpecification']).toEqual(expiry);
    const indexes = Object.entries(spec.indexes ?? {}).map(([IndexName, index]) => ({
      IndexName,
      KeySchema: keySchema(index),
      Projection: { ProjectionType: 'KEYS_ONLY' },
    }));
    expect(properties['GlobalSecondaryIndexes'] ?? []).toEqual(indexes);
  });
});

function keySchema({ partitionKey, sortKey }: Pick<TableSpec, 'partitionKey' | 'sortKey'>) {
  const range = sortKey ? [{ AttributeName: sortKey.name, KeyType: 'RANGE' }] : [];
  return [{ AttributeName: partitionKey.name, KeyType: 'HASH' }, ...range];
}
