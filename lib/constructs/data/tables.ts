import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import {
  AttributeType,
  Billing,
  CfnGlobalTable,
  type ITableV2,
  ProjectionType,
  StreamViewType,
  TableEncryptionV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import { AnyPrincipal, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import {
  type KeyAttribute,
  tables as specs,
  streamViewTypes,
  type TableId,
  type TableSpec,
} from '#contract/platform/resources.ts';
import type { ExistingTable } from '#lib/settings.ts';
import { cast } from '#lib/shared-props.ts';
import type { Stage } from '#lib/stage.ts';

export type Tables = Readonly<Record<TableId, ITableV2>>;

/** Tables with personal data, webhook signing secrets, conversations, stored responses, messages or payments. */
const hasSecrets: ReadonlySet<TableId> = new Set([
  'accounts',
  'webhooks',
  'agents',
  'responses',
  'messages',
  'payments',
]);

/**
 * The tables of the contract, with deletion protection, point-in-time recovery and retention. A table named by the
 * stage is used instead; the stack's own one is then retained outside the stack.
 */
export function createTables(
  scope: Construct,
  { accountsKey, existingTables }: Pick<Stage, 'accountsKey' | 'existingTables'>,
): Tables {
  const key = accountsKey === 'own' ? createKey(scope) : undefined;
  function table(id: TableId): ITableV2 {
    const existing = existingTables[id];
    if (existing) return importTable(scope, id, existing);
    const created = createTable(scope, specs[id]);
    if (key && hasSecrets.has(id)) encryptWith(key, created);
    return cast<ITableV2>(created);
  }
  return {
    accounts: table('accounts'),
    meters: table('meters'),
    ledger: table('ledger'),
    idempotency: table('idempotency'),
    requests: table('requests'),
    audit: table('audit'),
    directory: table('directory'),
    webhooks: table('webhooks'),
    agents: table('agents'),
    responses: table('responses'),
    messages: table('messages'),
    transcriptions: table('transcriptions'),
    payments: table('payments'),
  };
}

const importTable = (scope: Construct, id: TableId, { name, streamArn }: ExistingTable): ITableV2 =>
  TableV2.fromTableAttributes(scope, `existing-${id}`, {
    tableName: name,
    ...(streamArn !== undefined && { tableStreamArn: streamArn }),
  });

/**
 * Like an AWS managed key: every principal with access to the table may use it, only through DynamoDB and in this
 * account.
 */
function createKey(scope: Construct): Key {
  const { account, region } = Stack.of(scope);
  const key = new Key(scope, 'accounts-key', {
    description: 'Encrypts personal data of the text AI platform',
    enableKeyRotation: true,
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  });
  key.addToResourcePolicy(
    new PolicyStatement({
      principals: [new AnyPrincipal()],
      actions: [
        'kms:Encrypt',
        'kms:Decrypt',
        'kms:ReEncrypt*',
        'kms:GenerateDataKey*',
        'kms:CreateGrant',
        'kms:DescribeKey',
      ],
      resources: ['*'],
      conditions: {
        StringEquals: { 'kms:CallerAccount': account, 'kms:ViaService': `dynamodb.${region}.amazonaws.com` },
      },
    }),
  );
  return key;
}

/** TableV2 accepts a key only if the region is known at synthesis. */
function encryptWith(key: Key, table: TableV2): void {
  const { defaultChild } = table.node;
  if (!(defaultChild instanceof CfnGlobalTable)) throw new Error('TableV2 no longer creates a global table');
  defaultChild.addPropertyOverride('Replicas.0.SSESpecification', { KMSMasterKeyId: key.keyArn });
}

function createTable(scope: Construct, spec: TableSpec): TableV2 {
  return new TableV2(scope, spec.name, {
    ...keys(spec),
    ...(spec.stream && { dynamoStream: StreamViewType[streamViewTypes[spec.stream]] }),
    ...(spec.ttlAttribute && { timeToLiveAttribute: spec.ttlAttribute }),
    globalSecondaryIndexes: Object.entries(spec.indexes ?? {}).map(([indexName, index]) => ({
      indexName,
      ...keys(index),
      projectionType: index.hasItems ? ProjectionType.ALL : ProjectionType.KEYS_ONLY,
    })),
    billing: Billing.onDemand(),
    encryption: TableEncryptionV2.awsManagedKey(),
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: true,
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  });
}

function keys({ partitionKey, sortKey }: Pick<TableSpec, 'partitionKey' | 'sortKey'>) {
  return { partitionKey: attribute(partitionKey), ...(sortKey && { sortKey: attribute(sortKey) }) };
}

const types = { S: AttributeType.STRING, N: AttributeType.NUMBER } as const;

const attribute = ({ name, type }: KeyAttribute) => ({ name, type: types[type] });
