/** A DynamoDB table as CDK creates it, the local server creates it and key builders use it (docs/architecture.md#tables). */
export interface TableSpec {
  readonly name: string;
  readonly partitionKey: KeyAttribute;
  readonly sortKey?: KeyAttribute;
  /** What the table's stream carries of a change: the item after it, or also the item before it. */
  readonly stream?: keyof typeof streamViewTypes;
  /** Attribute with the epoch second after which DynamoDB may delete the item; expiry is also checked on every read. */
  readonly ttlAttribute?: string;
  /** Sparse indexes. */
  readonly indexes?: Readonly<Record<string, IndexSpec>>;
}

export interface IndexSpec {
  readonly partitionKey: KeyAttribute;
  readonly sortKey: KeyAttribute;
  /** Whether the index has whole items; keys only by default. */
  readonly hasItems?: boolean;
}

export const streamViewTypes = { new: 'NEW_IMAGE', 'new and old': 'NEW_AND_OLD_IMAGES' } as const;

export interface KeyAttribute {
  readonly name: string;
  readonly type: 'S' | 'N';
}

const pk = { name: 'pk', type: 'S' } as const;
const sk = { name: 'sk', type: 'S' } as const;

/** `shard` spreads the indexes of sweeps over partitions; their sort keys are moments. */
const shard = { name: 'p', type: 'N' } as const;

/**
 * Shards of the sweep's indexes of `meters`: accounts renewed at the same time are spread over so many partitions and runs. It can be raised
 * at any time, as every change of billing moves an account to its shard; never lowered, as accounts in the higher shards would not be swept.
 */
export const meterShards = 64;

export const tables = {
  /** Users, unique constraint items of addresses and identities, sessions, known devices, tokens, key records, mail outbox. */
  accounts: { name: 'accounts', partitionKey: pk, sortKey: sk, stream: 'new', ttlAttribute: 'ttl' },
  /** One item per account: everything an admission reads (docs/meter.md). */
  meters: {
    name: 'meters',
    partitionKey: { name: 'a', type: 'N' },
    stream: 'new and old',
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
  requests: {
    name: 'requests',
    partitionKey: { name: 'a', type: 'N' },
    sortKey: sk,
    ttlAttribute: 'ttl',
    /** Those that were refused or failed, by account and class of the status. */
    indexes: { failures: { partitionKey: { name: 'f', type: 'S' }, sortKey: sk, hasItems: true } },
  },
  /** Immutable rows, two per action of an operator: in the partition of its account, and in that of all (docs/adr/0018-audit-trail.md). */
  audit: { name: 'audit', partitionKey: pk, sortKey: sk },
  /** Webhooks of accounts, and in a partition of each webhook its deliveries and the queue of those that are pending. */
  webhooks: {
    name: 'webhooks',
    partitionKey: pk,
    sortKey: sk,
    ttlAttribute: 'ttl',
    indexes: { due: { partitionKey: shard, sortKey: { name: 'due', type: 'N' } } },
  },
  /** Agents of accounts; in partitions of each agent its conversations and documents, and their chunks; in one of each conversation its messages. */
  agents: { name: 'agents', partitionKey: pk, sortKey: sk, ttlAttribute: 'ttl' },
  /** Messages to phones, in the partition of their account, and what was sent of an account, to a number and to a range of numbers. */
  messages: { name: 'messages', partitionKey: pk, sortKey: sk, stream: 'new and old', ttlAttribute: 'ttl' },
  /** Of each account its uploads of audio and the jobs that transcribe them; texts are files beside them. */
  transcriptions: {
    name: 'transcriptions',
    partitionKey: pk,
    sortKey: sk,
    ttlAttribute: 'ttl',
    indexes: { due: { partitionKey: shard, sortKey: { name: 'due', type: 'N' } } },
  },
} as const satisfies Record<string, TableSpec>;

export type TableId = keyof typeof tables;

/** An SQS queue as CDK creates it and the local server stands in for it. One job takes its messages (`contract/jobs.ts`). */
export interface QueueSpec {
  readonly name: string;
  /** A message that was received so often and not deleted goes to the dead-letter queue. */
  readonly maxReceiveCount: number;
}

export const queues = {
  /** Images of meters whose ledger rows could not be written: 12 tries, 6 minutes apart, outlast an outage of an hour. */
  ledgerRetry: { name: 'ledger-retry', maxReceiveCount: 12 },
  /** Webhooks that have something to send, and changes of meters whose events could not be written. As long as above. */
  webhooks: { name: 'webhooks', maxReceiveCount: 12 },
  /** Webhooks whose receivers respond slowly, or whose account already occupies its share of the workers of the queue above. */
  slowWebhooks: { name: 'slow-webhooks', maxReceiveCount: 12 },
  /** Documents of agents to index. A crashed run is repeated after 30 minutes, twice; then the sweep refunds the document. */
  documents: { name: 'documents', maxReceiveCount: 3 },
  /** Shards of meters with holds to look at, and with accounts to renew. Their messages are valid for a minute and never tried again. */
  holdSweeps: { name: 'hold-sweeps', maxReceiveCount: 5 },
  renewals: { name: 'renewals', maxReceiveCount: 5 },
} as const satisfies Record<string, QueueSpec>;

export type QueueId = keyof typeof queues;

/** The longest that SQS delays a message. */
export const maxDelaySeconds = 900;

/**
 * How long a received message stays hidden, so also how long a failed one waits for its next try: six times the function's
 * timeout (AWS "Creating and configuring an Amazon SQS event source mapping").
 */
export const visibilityTimeoutSeconds = (job: { readonly timeoutSeconds: number }): number => 6 * job.timeoutSeconds;

/** Types that hold a value themselves, and never none: a set is never empty (AWS "AttributeValue"). */
type LeafType = 'S' | 'N' | 'B' | 'BOOL' | 'NULL' | 'SS' | 'NS' | 'BS';

/** A path of DynamoDB's types down to a leaf: `{ L: { M: ['t', 'S'] } }` is a list of maps, each with a text `t`. */
export type TypePath =
  | LeafType
  | { readonly L: TypePath }
  | { readonly M: readonly [attribute: string, type: TypePath] };

/** An attribute of an item, with its type. */
export interface TypedAttribute {
  readonly name: string;
  readonly type: TypePath;
}

const exists = [{ exists: true }] as const;

/** A filter of a Lambda event source (AWS "Filter rule syntax"): where a record has a leaf. */
export interface EventPattern {
  readonly [name: string]: EventPattern | typeof exists;
}

/**
 * The filters of an event source that wants new images with a value of this type in the attribute; one that matches is
 * enough. `exists` matches leaves only, so a filter goes down to one. A list gets a second filter, for an emulation of
 * AWS that takes a list for a leaf; in AWS it matches nothing.
 */
export function eventPatterns({ name, type }: TypedAttribute): readonly EventPattern[] {
  const isList = typeof type === 'object' && 'L' in type;
  const shapes = [...(isList ? [{ L: exists }] : []), patternOf(type)];
  return shapes.map((shape) => ({ dynamodb: { NewImage: { [name]: shape } } }));
}

function patternOf(type: TypePath): EventPattern {
  if (typeof type === 'string') return { [type]: exists };
  if ('L' in type) return { L: patternOf(type.L) };
  const [attribute, inner] = type.M;
  return { M: { [attribute]: patternOf(inner) } };
}
