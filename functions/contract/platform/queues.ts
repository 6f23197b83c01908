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
