import type { Uses } from './http/route.ts';
import type { QueueId, TableId, TypedAttribute } from './platform/resources.ts';

/**
 * Source and `detail-type` of the EventBridge events for returned emails, by the `eventType` of their detail (AWS
 * "Monitoring SES events using Amazon EventBridge", "Examples of event data that Amazon SES publishes").
 */
export const mailFeedback = {
  source: 'aws.ses',
  detailTypes: { Bounce: 'Email Bounced', Complaint: 'Email Complaint Received' },
  /** SES message tag with the email's id, which bounce and complaint events contain. */
  tag: 'mail',
} as const;

/**
 * Events that jobs subscribe to: email and message events by EventBridge, and those of SageMaker's asynchronous
 * inference, for long audio, by SNS.
 */
export type EventSource = keyof typeof eventSources | 'transcriptions';

/** Changes of a table's items. At most two jobs can read the stream of a table (docs/adr/0011-typed-jobs.md). */
export interface StreamTrigger {
  readonly stream: TableId;
  /** Selects records whose new image contains this attribute. */
  readonly newImageHas: TypedAttribute;
  /** Concurrent batches per shard, at most 10. Records of one item stay in order. */
  readonly concurrentBatches: number;
  /** Age at which a failing record is discarded. The stream retains records for 24 hours. */
  readonly maxRecordAgeHours: number;
  /**
   * Destination of discarded records: the records in a bucket, or their position in the stream in the dead-letter
   * queue.
   */
  readonly discarded: 'records' | 'position';
}

export interface QueueTrigger {
  readonly queue: QueueId;
  /** Concurrent batches. Default: no limit except that of the AWS account. */
  readonly maxConcurrency?: number;
  /** Messages per batch. Default: 10. */
  readonly batchSize?: number;
}

/**
 * Events in which AWS End User Messaging reports the delivery of a message (AWS "Monitoring with EventBridge" in its
 * user guide). They are sent to the default bus without an event destination.
 */
export const messageReceipts = {
  source: 'aws.sms-voice',
  detailTypes: { sms: 'Text Message Delivery Status Updated', voice_call: 'Voice Message Delivery Status Updated' },
} as const;

/** Event sources that invoke jobs. */
export const eventSources = {
  'mail feedback': mailFeedback.source,
  'message receipts': messageReceipts.source,
} as const;

export type Trigger =
  | StreamTrigger
  | QueueTrigger
  | { readonly events: EventSource }
  | { readonly logs: 'recorded requests' }
  /** A job of 3,600 s runs at the full hour in AWS. */
  | { readonly everySeconds: number };

/** Background work, triggered by a stream, a queue, events, log lines or a schedule. */
export interface Job {
  readonly id: string;
  /** File in `functions/jobs` that builds the handler. */
  readonly feature: string;
  readonly summary: string;
  /** Effect on users while the job does not run: a full sentence, for alarms. */
  readonly impact: string;
  readonly trigger: Trigger;
  readonly uses: Uses;
  readonly timeoutSeconds: number;
}

/** The age covers an outage of an hour. */
const oneByOne = { concurrentBatches: 1, maxRecordAgeHours: 2, discarded: 'position' } as const;

/** Queues for the fast and the slow webhooks. */
const webhookQueues = ['webhooks', 'slowWebhooks'] as const;

export const jobs = {
  projectLedger: {
    id: 'project-ledger',
    feature: 'billing',
    summary: 'Writes one immutable ledger row for each entry of a meter',
    impact: 'Usage, credit history and credit alerts are delayed. Balances and charges stay exact.',
    trigger: {
      stream: 'meters',
      newImageHas: { name: 'last', type: { L: { M: ['t', 'S'] } } },
      concurrentBatches: 10,
      maxRecordAgeHours: 23,
      discarded: 'records',
    },
    uses: {
      tables: { ledger: 'append', accounts: 'write', meters: 'write' },
      queues: ['ledgerRetry', 'payments'],
    },
    timeoutSeconds: 60,
  },
  retryLedger: {
    id: 'retry-ledger',
    feature: 'billing',
    summary: 'Retries the ledger rows of accounts for which writing failed',
    impact: 'Usage and credit history of some accounts have gaps. Balances and charges stay exact.',
    trigger: { queue: 'ledgerRetry' },
    uses: { tables: { ledger: 'append', accounts: 'write', meters: 'write' }, queues: ['payments'] },
    timeoutSeconds: 60,
  },
  sendMail: {
    id: 'send-mail',
    feature: 'mail',
    summary: 'Sends the emails of the outbox',
    impact: 'Confirmation links, reset links and notices are delayed. They wait in the outbox.',
    trigger: { stream: 'accounts', newImageHas: { name: 'outbox', type: 'S' }, ...oneByOne },
    uses: { tables: { accounts: 'write' }, mail: true, queues: ['mailRetry'] },
    timeoutSeconds: 60,
  },
  retryMail: {
    id: 'retry-mail',
    feature: 'mail',
    summary: 'Retries emails and password resets whose processing failed',
    impact: 'Some users do not receive a confirmation link, reset link or notice.',
    trigger: { queue: 'mailRetry' },
    uses: { tables: { accounts: 'write' }, mail: true },
    timeoutSeconds: 60,
  },
  suppressAddress: {
    id: 'suppress-address',
    feature: 'mail',
    summary: 'Stops emails to addresses with a permanent bounce or a spam complaint, and notes it of the email',
    impact: 'Addresses with bounces or complaints receive further emails, and SES may pause all sending.',
    trigger: { events: 'mail feedback' },
    uses: { tables: { accounts: 'write' } },
    timeoutSeconds: 30,
  },
  sendResetLink: {
    id: 'send-reset-link',
    feature: 'accounts',
    summary: 'Creates the token and email of a requested password reset',
    impact: 'Users who request a password reset receive no link.',
    trigger: { stream: 'accounts', newImageHas: { name: 'resetRequest', type: 'S' }, ...oneByOne },
    uses: { tables: { accounts: 'write' }, queues: ['mailRetry'] },
    timeoutSeconds: 60,
  },
  recordRequests: {
    id: 'record-requests',
    feature: 'requests',
    summary: 'Writes the request logs of accounts',
    impact: 'Requests are missing from the request logs of accounts. Charges and usage stay exact.',
    trigger: { logs: 'recorded requests' },
    uses: { tables: { requests: 'insert' } },
    timeoutSeconds: 60,
  },
  dispatchWebhooks: {
    id: 'dispatch-webhooks',
    feature: 'webhooks',
    summary: 'Queues each event of an account for its subscribed webhooks',
    impact: 'Webhooks receive no events until the job runs again.',
    trigger: {
      stream: 'meters',
      newImageHas: { name: 'wh', type: 'SS' },
      concurrentBatches: 10,
      maxRecordAgeHours: 23,
      discarded: 'position',
    },
    uses: { tables: { webhooks: 'write' }, queues: webhookQueues },
    timeoutSeconds: 60,
  },
  deliverWebhooks: {
    id: 'deliver-webhooks',
    feature: 'webhooks',
    summary: 'Sends the due deliveries of webhooks, with one worker per webhook',
    impact: 'Webhooks receive no events until the job runs again.',
    // Slow receivers occupy functions that other jobs need too.
    trigger: { queue: 'webhooks', maxConcurrency: 100 },
    uses: { tables: { webhooks: 'delete', accounts: 'write', meters: 'read' }, queues: webhookQueues },
    timeoutSeconds: 60,
  },
  deliverSlowWebhooks: {
    id: 'deliver-slow-webhooks',
    feature: 'webhooks',
    summary: 'Sends the due deliveries of webhooks with slow receivers, a few requests at a time',
    impact: 'Webhooks with slow receivers receive no events until the job runs again.',
    trigger: { queue: 'slowWebhooks', maxConcurrency: 50 },
    uses: { tables: { webhooks: 'delete', accounts: 'write', meters: 'read' }, queues: webhookQueues },
    timeoutSeconds: 60,
  },
  recordReceipts: {
    id: 'record-receipts',
    feature: 'messages',
    summary: 'Records delivery receipts of messages, and refunds failed ones',
    impact: 'Messages keep the status sent, and failed messages are not refunded.',
    trigger: { events: 'message receipts' },
    uses: { tables: { messages: 'write', meters: 'write' } },
    timeoutSeconds: 30,
  },
  dispatchMessages: {
    id: 'dispatch-messages',
    feature: 'messages',
    summary: 'Queues each event of a message for the subscribed webhooks of its account',
    impact: 'Webhooks receive no message events until the job runs again.',
    trigger: { stream: 'messages', newImageHas: { name: 'status', type: 'S' }, ...oneByOne },
    uses: { tables: { webhooks: 'write', meters: 'read' }, queues: webhookQueues },
    timeoutSeconds: 60,
  },
  sweepWebhooks: {
    id: 'sweep-webhooks',
    feature: 'webhooks',
    summary: 'Queues webhooks that have a due retry or whose queue message was lost',
    impact: 'Failed webhook deliveries are not retried after the first 15 minutes.',
    trigger: { everySeconds: 60 },
    uses: { tables: { webhooks: 'write' }, queues: webhookQueues },
    timeoutSeconds: 55,
  },
  endTranscriptions: {
    id: 'end-transcriptions',
    feature: 'audio',
    summary: 'Completes long audio transcriptions after the model and settles their cost',
    impact:
      'Long audio transcriptions stay in the status running until the job runs again, or expire and are refunded.',
    trigger: { events: 'transcriptions' },
    uses: { tables: { meters: 'write', transcriptions: 'write' }, audioFiles: 'end' },
    timeoutSeconds: 60,
  },
  sweepTranscriptions: {
    id: 'sweep-transcriptions',
    feature: 'audio',
    summary: 'Fails transcriptions that did not start or finish in time, and refunds them',
    impact: 'Crashed transcriptions are not refunded, and their audio is kept for up to two days.',
    trigger: { everySeconds: 900 },
    uses: { tables: { meters: 'write', transcriptions: 'write' }, audioFiles: 'delete' },
    timeoutSeconds: 300,
  },
  indexDocuments: {
    id: 'index-documents',
    feature: 'documents',
    summary: 'Embeds the documents of agents and settles the cost',
    impact: 'Documents of agents stay in the status indexing until the job runs again, or fail and are refunded.',
    trigger: { queue: 'documents', maxConcurrency: 50 },
    uses: { tables: { agents: 'delete', meters: 'write' }, queues: ['documents'], inference: true },
    timeoutSeconds: 300,
  },
  sweepDocuments: {
    id: 'sweep-documents',
    feature: 'agents',
    summary: 'Fails documents of agents whose indexing crashed, and refunds them',
    impact: 'Documents whose indexing crashed stay in the status indexing and are not refunded.',
    trigger: { everySeconds: 300 },
    uses: { tables: { agents: 'delete', meters: 'write' } },
    timeoutSeconds: 240,
  },
  purgeAccounts: {
    id: 'purge-accounts',
    feature: 'accounts',
    summary:
      'Deletes the data of accounts that were deleted 30 days ago, and updates the list of accounts of operators',
    impact:
      'Data of deleted accounts is kept longer than the promised 30 days, or the list of accounts of operators is out of date.',
    trigger: { everySeconds: 3600 },
    uses: {
      tables: {
        accounts: 'delete',
        meters: 'scan and delete',
        webhooks: 'delete',
        agents: 'delete',
        responses: 'delete',
        messages: 'delete',
        transcriptions: 'delete',
        directory: 'delete',
      },
      queues: ['payments'],
      audioFiles: 'delete',
      content: 'delete',
    },
    timeoutSeconds: 900,
  },
  purgeAgents: {
    id: 'purge-agents',
    feature: 'agents',
    summary: 'Deletes the remaining data of deleted agents, conversations and documents',
    impact: 'Data of deleted agents, conversations and documents is kept longer than the promised day.',
    trigger: { everySeconds: 900 },
    uses: { tables: { agents: 'delete' } },
    timeoutSeconds: 600,
  },
  sweepMeters: {
    id: 'sweep-meters',
    feature: 'billing',
    summary: 'Queues the shards of meters with holds of crashed calls to release, or with accounts to renew',
    impact: 'Credits held by crashed calls are not released, and accounts without calls are not renewed.',
    trigger: { everySeconds: 60 },
    uses: { tables: { meters: 'read' }, queues: ['holdSweeps', 'renewals'] },
    timeoutSeconds: 55,
  },
  releaseHolds: {
    id: 'release-holds',
    feature: 'billing',
    summary: 'Releases the credits held by crashed calls',
    impact: 'Credits held by crashed calls are not released.',
    trigger: { queue: 'holdSweeps', maxConcurrency: 20, batchSize: 1 },
    uses: { tables: { meters: 'write' } },
    timeoutSeconds: 55,
  },
  renewAccounts: {
    id: 'renew-accounts',
    feature: 'billing',
    summary: 'Expires and renews the credits of accounts without calls',
    impact: 'Accounts without calls are not renewed. A call renews its own account.',
    trigger: { queue: 'renewals', maxConcurrency: 64, batchSize: 1 },
    uses: { tables: { meters: 'write' } },
    timeoutSeconds: 55,
  },
  handlePayments: {
    id: 'handle-payments',
    feature: 'payments',
    summary: 'Settles payments after events of the payment provider, and buys automatic top-ups',
    impact: 'Paid credits and plans arrive late: when the buyer returns, or with the next reconciliation.',
    trigger: { queue: 'payments', maxConcurrency: 20 },
    uses: { tables: { accounts: 'write', meters: 'write', payments: 'write' }, queues: ['payments'], payments: true },
    timeoutSeconds: 60,
  },
  sweepPayments: {
    id: 'sweep-payments',
    feature: 'payments',
    summary: 'Queues open payments, changed subscriptions and failed top-ups that are due',
    impact: 'Payments whose events were lost, and changes of subscriptions during an outage, are not completed.',
    trigger: { everySeconds: 300 },
    uses: { tables: { payments: 'read' }, queues: ['payments'] },
    timeoutSeconds: 240,
  },
  reconcilePayments: {
    id: 'reconcile-payments',
    feature: 'payments',
    summary: 'Compares the payments of the last days with the provider, and reports differences',
    impact: 'Differences between payments and credits remain undetected.',
    trigger: { everySeconds: 86_400 },
    uses: { tables: { accounts: 'write', meters: 'write', payments: 'write' }, payments: true },
    timeoutSeconds: 900,
  },
  archiveLedger: {
    id: 'archive-ledger',
    feature: 'billing',
    summary: 'Moves the closed months of all accounts from the ledger table to the archive',
    impact: 'Closed months stay in the ledger table, which costs more than the archive. No row is lost.',
    trigger: { everySeconds: 21_600 },
    uses: { tables: { ledger: 'move' }, archive: 'write' },
    timeoutSeconds: 900,
  },
} as const satisfies Record<string, Job>;

export const allJobs: readonly Job[] = Object.values(jobs);

/** Jobs for payments run only where payments are taken. */
export const jobsFor = (hasPayments: boolean): readonly Job[] =>
  hasPayments ? allJobs : allJobs.filter(({ feature }) => feature !== 'payments');

/** An optional job: it runs only if the stage enables it, or with `npm start -- --canary` (docs/adr/0016-canary.md). */
export const canary = {
  id: 'walk-canary',
  feature: 'canary',
  summary: 'Registers a new user, checks the charge of a chat, and deletes the account',
  impact: 'New users cannot register and complete a first chat, or its charge is wrong.',
  trigger: { everySeconds: 300 },
  uses: { tables: { accounts: 'write' } },
  timeoutSeconds: 160,
} as const satisfies Job;
