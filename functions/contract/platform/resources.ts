/** A DynamoDB table, used by CDK, the local server and key builders (docs/architecture.md#tables). */
export interface TableSpec {
  readonly name: string;
  readonly partitionKey: KeyAttribute;
  readonly sortKey?: KeyAttribute;
  /** Images in the table's stream: the new one, or both. */
  readonly stream?: keyof typeof streamViewTypes;
  /** Attribute with the expiry in epoch seconds, after which DynamoDB may delete the item. Every read checks it too. */
  readonly ttlAttribute?: string;
  /** Sparse indexes. */
  readonly indexes?: Readonly<Record<string, IndexSpec>>;
}

export interface IndexSpec {
  readonly partitionKey: KeyAttribute;
  readonly sortKey: KeyAttribute;
  /** Whether the index projects whole items. Default: only keys. */
  readonly hasItems?: boolean;
}

export const streamViewTypes = { new: 'NEW_IMAGE', 'new and old': 'NEW_AND_OLD_IMAGES' } as const;

export interface KeyAttribute {
  readonly name: string;
  readonly type: 'S' | 'N';
}

const pk = { name: 'pk', type: 'S' } as const;
const sk = { name: 'sk', type: 'S' } as const;

/** `shard` distributes the sweep's indexes over partitions. Their sort keys are times. */
const shard = { name: 'p', type: 'N' } as const;

const group = { name: 'g', type: 'S' } as const;

/**
 * Shards of the sweep's indexes of `meters`: accounts renewed at the same time are distributed over this many
 * partitions and runs. The number can be raised at any time, because every billing change moves an account to its
 * shard. Never lower it: accounts in the removed shards would not be swept.
 */
export const meterShards = 64;

export const tables = {
  /**
   * Users, organizations with members and invitations, unique constraint items of addresses and identities, sessions,
   * known devices, tokens, key records, email outbox.
   */
  accounts: { name: 'accounts', partitionKey: pk, sortKey: sk, stream: 'new', ttlAttribute: 'ttl' },
  /** One item per account with everything that an admission reads, and the progress of streams (docs/meter.md). */
  meters: {
    name: 'meters',
    partitionKey: { name: 'a', type: 'N' },
    stream: 'new and old',
    ttlAttribute: 'ttl',
    indexes: {
      due: { partitionKey: shard, sortKey: { name: 'due', type: 'N' } },
      holds: { partitionKey: shard, sortKey: { name: 'hd', type: 'N' } },
    },
  },
  /** Immutable rows, one per `seq` of a meter, sorted by it. */
  ledger: { name: 'ledger', partitionKey: { name: 'a', type: 'N' }, sortKey: sk },
  /** One item per Idempotency-Key: the running request, or its response. */
  idempotency: { name: 'idempotency', partitionKey: { name: 'id', type: 'S' }, ttlAttribute: 'ttl' },
  /** One item per recorded request of an account, sorted by time. */
  requests: {
    name: 'requests',
    partitionKey: { name: 'a', type: 'N' },
    sortKey: sk,
    ttlAttribute: 'ttl',
    /** Failed requests, by account and status class. */
    indexes: { failures: { partitionKey: { name: 'f', type: 'S' }, sortKey: sk, hasItems: true } },
  },
  /**
   * Immutable rows, two per operator action: in the partition of its account, and in that of all accounts
   * (docs/adr/0018-audit-trail.md).
   */
  audit: { name: 'audit', partitionKey: pk, sortKey: sk },
  /**
   * A summary of each account for the list of operators, with indexes by group (state and plan), and the totals
   * (docs/adr/0043-list-of-accounts.md).
   */
  directory: {
    name: 'directory',
    partitionKey: { name: 'a', type: 'N' },
    ttlAttribute: 'ttl',
    indexes: {
      newest: { partitionKey: group, sortKey: { name: 'n', type: 'S' } },
      spending: { partitionKey: group, sortKey: { name: 's', type: 'S' } },
      balance: { partitionKey: group, sortKey: { name: 'b', type: 'S' } },
    },
  },
  /** Webhooks of accounts. A partition for each webhook contains its deliveries and the queue of pending ones. */
  webhooks: {
    name: 'webhooks',
    partitionKey: pk,
    sortKey: sk,
    ttlAttribute: 'ttl',
    indexes: { due: { partitionKey: shard, sortKey: { name: 'due', type: 'N' } } },
  },
  /**
   * Agents of accounts. Partitions for each agent contain its conversations, documents and chunks; one for each
   * conversation contains its messages.
   */
  agents: { name: 'agents', partitionKey: pk, sortKey: sk, ttlAttribute: 'ttl' },
  /** Stored responses of the Responses API in the partition of their account. */
  responses: { name: 'responses', partitionKey: pk, sortKey: sk, ttlAttribute: 'ttl' },
  /** Messages to phones in the partition of their account, and message counts by account, number and number range. */
  messages: { name: 'messages', partitionKey: pk, sortKey: sk, stream: 'new and old', ttlAttribute: 'ttl' },
  /** Uploads of audio and transcription jobs by account. Transcripts are files in S3. */
  transcriptions: {
    name: 'transcriptions',
    partitionKey: pk,
    sortKey: sk,
    ttlAttribute: 'ttl',
    indexes: { due: { partitionKey: shard, sortKey: { name: 'due', type: 'N' } } },
  },
  /**
   * Orders and the billing profile of an account in its partition, customers of the payment provider, and its events
   * (docs/payments.md).
   */
  payments: {
    name: 'payments',
    partitionKey: pk,
    sortKey: sk,
    ttlAttribute: 'ttl',
    indexes: { due: { partitionKey: shard, sortKey: { name: 'due', type: 'N' } } },
  },
} as const satisfies Record<string, TableSpec>;

export type TableId = keyof typeof tables;

/** An SQS queue, used by CDK and the local server. One job consumes it (`contract/jobs.ts`). */
export interface QueueSpec {
  readonly name: string;
  /** Number of receives after which an undeleted message moves to the dead-letter queue. */
  readonly maxReceiveCount: number;
}

export const queues = {
  /** Meter images whose ledger rows could not be written. 12 attempts, 6 minutes apart, cover an outage of an hour. */
  ledgerRetry: { name: 'ledger-retry', maxReceiveCount: 12 },
  /** Emails and requested password resets whose processing failed. 12 attempts, 6 minutes apart. */
  mailRetry: { name: 'mail-retry', maxReceiveCount: 12 },
  /**
   * Webhooks with pending deliveries, and changes of meters and messages whose events could not be written. 12
   * attempts, 6 minutes apart.
   */
  webhooks: { name: 'webhooks', maxReceiveCount: 12 },
  /**
   * Webhooks whose receivers respond slowly, or whose account already uses its share of the workers of the queue above.
   */
  slowWebhooks: { name: 'slow-webhooks', maxReceiveCount: 12 },
  /** Documents to index. A crashed run is repeated after 30 minutes, twice; then the sweep refunds the document. */
  documents: { name: 'documents', maxReceiveCount: 3 },
  /**
   * Shards of meters with holds to check, and with accounts to renew. Messages expire after a minute and are not
   * retried.
   */
  holdSweeps: { name: 'hold-sweeps', maxReceiveCount: 5 },
  renewals: { name: 'renewals', maxReceiveCount: 5 },
  /** Events of the payment provider, and accounts to top up. 12 attempts, 6 minutes apart. */
  payments: { name: 'payments', maxReceiveCount: 12 },
} as const satisfies Record<string, QueueSpec>;

export type QueueId = keyof typeof queues;

/** Maximum delay of an SQS message. */
export const maxDelaySeconds = 900;

/**
 * Visibility timeout, which is also the delay before a retry: six times the function's timeout (AWS "Creating and
 * configuring an Amazon SQS event source mapping").
 */
export const visibilityTimeoutSeconds = (job: { readonly timeoutSeconds: number }): number => 6 * job.timeoutSeconds;

/** DynamoDB types that are leaves and never empty: DynamoDB rejects empty sets (AWS "AttributeValue"). */
type LeafType = 'S' | 'N' | 'B' | 'BOOL' | 'NULL' | 'SS' | 'NS' | 'BS';

/** Path of DynamoDB types to a leaf: `{ L: { M: ['t', 'S'] } }` is a list of maps, each with a string `t`. */
export type TypePath =
  | LeafType
  | { readonly L: TypePath }
  | { readonly M: readonly [attribute: string, type: TypePath] };

export interface TypedAttribute {
  readonly name: string;
  readonly type: TypePath;
}

const exists = [{ exists: true }] as const;

/** Lambda event filter (AWS "Filter rule syntax") for records with a leaf. */
export interface EventPattern {
  readonly [name: string]: EventPattern | typeof exists;
}

/**
 * Event source filters for new images whose attribute has this type. A record must match one of them. `exists` matches
 * only leaves, so each filter names one. A list has a second filter for an emulator that treats lists as leaves; it
 * matches nothing in AWS.
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
