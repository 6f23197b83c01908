/** A DynamoDB table as CDK creates it, the local server creates it and key builders use it (docs/design/platform.md#tables). */
export interface TableSpec {
  readonly name: string;
  readonly partitionKey: KeyAttribute;
  readonly sortKey?: KeyAttribute;
  /** New images are put on the table's stream. */
  readonly stream?: true;
  /** Attribute with the epoch second after which DynamoDB may delete the item; expiry is also checked on every read. */
  readonly ttlAttribute?: string;
  /** Sparse, keys-only indexes. */
  readonly indexes?: Readonly<Record<string, { partitionKey: KeyAttribute; sortKey: KeyAttribute }>>;
}

export interface KeyAttribute {
  readonly name: string;
  readonly type: 'S' | 'N';
}

const pk = { name: 'pk', type: 'S' } as const;
const sk = { name: 'sk', type: 'S' } as const;

/** `shard` spreads the sweep's indexes over partitions; the two sort keys are epoch seconds. */
const shard = { name: 'p', type: 'N' } as const;

export const tables = {
  /** Users, unique constraint items of addresses and identities, sessions, known devices, tokens, key records, mail outbox. */
  accounts: { name: 'accounts', partitionKey: pk, sortKey: sk, stream: true, ttlAttribute: 'ttl' },
  /** One item per account: everything an admission reads (docs/design/meter.md). */
  meters: {
    name: 'meters',
    partitionKey: { name: 'a', type: 'N' },
    stream: true,
    indexes: {
      due: { partitionKey: shard, sortKey: { name: 'due', type: 'N' } },
      holds: { partitionKey: shard, sortKey: { name: 'hd', type: 'N' } },
    },
  },
  /** Immutable rows, one per `seq` of a meter, under a sort key that orders them. */
  ledger: { name: 'ledger', partitionKey: { name: 'a', type: 'N' }, sortKey: sk },
  /** One item per Idempotency-Key: the request that runs with it, or its response. */
  idempotency: { name: 'idempotency', partitionKey: { name: 'id', type: 'S' }, ttlAttribute: 'ttl' },
  /** One item per recorded request of an account, under a sort key that orders them by time. */
  requests: { name: 'requests', partitionKey: { name: 'a', type: 'N' }, sortKey: sk, ttlAttribute: 'ttl' },
  /** Immutable rows, two per action of an operator: in the partition of its account, and in that of all (docs/adr/0018-audit-trail.md). */
  audit: { name: 'audit', partitionKey: pk, sortKey: sk },
} as const satisfies Record<string, TableSpec>;

export type TableId = keyof typeof tables;
