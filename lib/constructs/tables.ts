import { RemovalPolicy } from 'aws-cdk-lib';
import {
  AttributeType,
  Billing,
  ProjectionType,
  StreamViewType,
  TableEncryptionV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { type KeyAttribute, tables as specs, type TableId, type TableSpec } from '#contract/tables.ts';

export type Tables = Readonly<Record<TableId, TableV2>>;

/** The tables of the contract, protected against every way of losing their rows. */
export function createTables(scope: Construct): Tables {
  const create = (id: TableId) => createTable(scope, specs[id]);
  return {
    accounts: create('accounts'),
    meters: create('meters'),
    ledger: create('ledger'),
    idempotency: create('idempotency'),
  };
}

function createTable(scope: Construct, spec: TableSpec): TableV2 {
  return new TableV2(scope, spec.name, {
    ...keys(spec),
    ...(spec.stream && { dynamoStream: StreamViewType.NEW_IMAGE }),
    ...(spec.ttlAttribute && { timeToLiveAttribute: spec.ttlAttribute }),
    globalSecondaryIndexes: Object.entries(spec.indexes ?? {}).map(([indexName, index]) => ({
      indexName,
      ...keys(index),
      projectionType: ProjectionType.KEYS_ONLY,
    })),
    billing: Billing.onDemand(),
    encryption: TableEncryptionV2.awsManagedKey(),
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: true,
    removalPolicy: RemovalPolicy.RETAIN,
  });
}

function keys({ partitionKey, sortKey }: Pick<TableSpec, 'partitionKey' | 'sortKey'>) {
  return { partitionKey: attribute(partitionKey), ...(sortKey && { sortKey: attribute(sortKey) }) };
}

const types = { S: AttributeType.STRING, N: AttributeType.NUMBER } as const;

const attribute = ({ name, type }: KeyAttribute) => ({ name, type: types[type] });
