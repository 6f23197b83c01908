import type { Uses } from './http/route.ts';
import type { QueueId, TableId, TypedAttribute } from './platform/resources.ts';

/**
 * Source and `detail-type` of the EventBridge events for returned emails, by the `eventType` of their detail (AWS
 * "Monitoring SES events using Amazon EventBridge", "Examples of event data that Amazon SES publishes").
 */
export const mailFeedback = {
  source: 'aws.ses',
  detailTypes: { Bounce: 'Email Bounced', Complaint: 'Email Complaint Received' },
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
  readonly givenUp: 'records' | 'place';
}

/** Messages of a queue. */
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

/** Trigger of a job. */
export type Trigger =
  | StreamTrigger
  | QueueTrigger
  | { readonly events: EventSource }
  | { readonly logs: 'recorded requests' }
  | { readonly everySeconds: number };

/** Background work, triggered by a stream, a queue, events, log lines or a schedule. */
export interface Job {
  readonly id: string;
  /** File in `functions/jobs` that builds the handler. */
  readonly feature: string;
  readonly summary: string;
  /** Effect on users while the job does not run: a full sentence, for alarms. */
  readonly loss: string;
  readonly trigger: Trigger;
  readonly uses: Uses;
  readonly timeoutSeconds: number;
}

/**
 * A failing record blocks those behind it, and a caller can request its work again. The age covers an outage of an
 * hour.
 */
const oneByOne = { concurrentBatches: 1, maxRecordAgeHours: 2, givenUp: 'place' } as const;

/** Queues for the fast and the slow webhooks. */
const lanes = ['webhooks', 'slowWebhooks'] as const;

export const jobs = {
  projectLedger: {
    id: 'project-ledger',
    feature: 'billing',
    summary: 'Writes one immutable ledger row for each entry of a meter',
    loss: 'Usage, entries and warnings of low credits lag behind; balances and charges stay exact.',
    trigger: {
      stream: 'meters',
      newImageHas: { name: 'last', type: { L: { M: ['t', 'S'] } } },
      concurrentBatches: 10,
      maxRecordAgeHours: 23,
      givenUp: 'records',
    },
    uses: { tables: { ledger: 'append', accounts: 'write' }, queues: ['ledgerRetry'] },
    timeoutSeconds: 60,
  },
  retryLedger: {
    id: 'retry-ledger',
    feature: 'billing',
    summary: 'Writes the ledger rows of accounts for which that failed, apart from all others',
    loss: 'Usage and entries of some accounts have gaps; their balances and charges stay exact.',
    trigger: { queue: 'ledgerRetry' },
    uses: { tables: { ledger: 'append', accounts: 'write' } },
    timeoutSeconds: 60,
  },
  sendMail: {
    id: 'send-mail',
    feature: 'mail',
    summary: 'Sends the mails of the outbox',
    loss: 'Confirmation links, reset links and notices are not sent; they wait in the outbox.',
    trigger: { stream: 'accounts', newImageHas: { name: 'outbox', type: 'S' }, ...oneByOne },
    uses: { tables: { accounts: 'write' }, mail: true },
    timeoutSeconds: 60,
  },
  suppressAddress: {
    id: 'suppress-address',
    feature: 'mail',
    summary: 'Notes addresses whose mails bounce for good or are called spam, so that they get no more',
    loss: 'Addresses that bounce or complain get more mails, and SES may stop all sending.',
    trigger: { events: 'mail feedback' },
    uses: { tables: { accounts: 'write' } },
    timeoutSeconds: 30,
  },
  sendResetLink: {
    id: 'send-reset-link',
    feature: 'accounts',
    summary: 'Makes the reset token and its mail for a password that somebody has forgotten',
    loss: 'Whoever forgot a password gets no link.',
    trigger: { stream: 'accounts', newImageHas: { name: 'resetRequest', type: 'S' }, ...oneByOne },
    uses: { tables: { accounts: 'write' } },
    timeoutSeconds: 60,
  },
  recordRequests: {
    id: 'record-requests',
    feature: 'requests',
    summary: 'Writes the records of requests that accounts can list',
    loss: 'Requests are missing from the request logs of accounts; charges and usage stay exact.',
    trigger: { logs: 'recorded requests' },
    uses: { tables: { requests: 'append' } },
    timeoutSeconds: 60,
  },
  dispatchWebhooks: {
    id: 'dispatch-webhooks',
    feature: 'webhooks',
    summary: 'Writes a delivery of each event of an account for each of its webhooks that wants it',
    loss: 'Webhooks are sent no events; they are sent late once it runs again.',
    trigger: {
      stream: 'meters',
      newImageHas: { name: 'wh', type: 'SS' },
      concurrentBatches: 10,
      maxRecordAgeHours: 23,
      givenUp: 'place',
    },
    uses: { tables: { webhooks: 'write' }, queues: lanes },
    timeoutSeconds: 60,
  },
  deliverWebhooks: {
    id: 'deliver-webhooks',
    feature: 'webhooks',
    summary: 'Sends what is due to a webhook, one worker at a time for each webhook',
    loss: 'Webhooks are sent no events; they are sent late once it runs again.',
    // Slow receivers occupy functions that other jobs need too.
    trigger: { queue: 'webhooks', maxConcurrency: 100 },
    uses: { tables: { webhooks: 'delete', accounts: 'write', meters: 'read' }, queues: lanes },
    timeoutSeconds: 60,
  },
  deliverSlowWebhooks: {
    id: 'deliver-slow-webhooks',
    feature: 'webhooks',
    summary: 'Sends what is due to a webhook whose receiver responds slowly, a few requests at a time',
    loss: 'Webhooks with slow receivers are sent no events; they are sent late once it runs again.',
    trigger: { queue: 'slowWebhooks', maxConcurrency: 50 },
    uses: { tables: { webhooks: 'delete', accounts: 'write', meters: 'read' }, queues: lanes },
    timeoutSeconds: 60,
  },
  recordReceipts: {
    id: 'record-receipts',
    feature: 'messages',
    summary: 'Notes what became of messages, and gives back the credits of those that were never handed over',
    loss: 'Messages stay sent, whatever became of them, and credits of failed ones are not given back.',
    trigger: { events: 'message receipts' },
    uses: { tables: { messages: 'write', meters: 'write' } },
    timeoutSeconds: 30,
  },
  dispatchMessages: {
    id: 'dispatch-messages',
    feature: 'messages',
    summary: 'Writes a delivery of each event of a message for each webhook of its account that wants it',
    loss: 'Webhooks are sent no events of messages; they are sent late once it runs again.',
    trigger: { stream: 'messages', newImageHas: { name: 'status', type: 'S' }, ...oneByOne },
    uses: { tables: { webhooks: 'write', meters: 'read' }, queues: lanes },
    timeoutSeconds: 60,
  },
  sweepWebhooks: {
    id: 'sweep-webhooks',
    feature: 'webhooks',
    summary: 'Wakes webhooks with a retry that is due, or whose message was lost',
    loss: 'Failed deliveries of webhooks are not retried after 15 minutes.',
    trigger: { everySeconds: 60 },
    uses: { tables: { webhooks: 'write' }, queues: lanes },
    timeoutSeconds: 55,
  },
  endTranscriptions: {
    id: 'end-transcriptions',
    feature: 'audio',
    summary: 'Ends transcriptions of long audio whose model has ended, and settles what they cost',
    loss: 'Transcriptions of long audio stay running; they end late once it runs again, or expire and are given back.',
    trigger: { events: 'transcriptions' },
    uses: { tables: { meters: 'write', transcriptions: 'write' }, audioFiles: 'end' },
    timeoutSeconds: 60,
  },
  sweepTranscriptions: {
    id: 'sweep-transcriptions',
    feature: 'audio',
    summary: 'Ends transcriptions that never began, or of whose end nothing was heard, and gives back what they cost',
    loss: 'Credits of transcriptions that died are not given back, and their audio is kept for up to two days.',
    trigger: { everySeconds: 900 },
    uses: { tables: { meters: 'write', transcriptions: 'write' }, audioFiles: 'delete' },
    timeoutSeconds: 300,
  },
  indexDocuments: {
    id: 'index-documents',
    feature: 'documents',
    summary: 'Embeds the documents of agents and settles what that costs',
    loss: 'Documents of agents stay in indexing. They are indexed late once it runs again, or fail and are refunded.',
    trigger: { queue: 'documents', maxConcurrency: 50 },
    uses: { tables: { agents: 'delete', meters: 'write' }, queues: ['documents'], inference: true },
    timeoutSeconds: 300,
  },
  sweepDocuments: {
    id: 'sweep-documents',
    feature: 'agents',
    summary: 'Fails documents of agents whose indexing crashed, and refunds them',
    loss: 'Documents whose indexing crashed stay in indexing, and their credits are not refunded.',
    trigger: { everySeconds: 300 },
    uses: { tables: { agents: 'delete', meters: 'write' } },
    timeoutSeconds: 240,
  },
  purgeAccounts: {
    id: 'purge-accounts',
    feature: 'accounts',
    summary: 'Deletes the data of accounts that were deleted 30 days ago',
    loss: 'Data of deleted accounts is kept longer than the 30 days that were promised.',
    trigger: { everySeconds: 3600 },
    uses: {
      tables: {
        accounts: 'delete',
        meters: 'delete',
        webhooks: 'delete',
        agents: 'delete',
        messages: 'delete',
        transcriptions: 'delete',
      },
      audioFiles: 'delete',
    },
    timeoutSeconds: 300,
  },
  purgeAgents: {
    id: 'purge-agents',
    feature: 'agents',
    summary: 'Deletes what is left of agents, conversations and documents that were deleted',
    loss: 'Data of deleted agents, conversations and documents is kept longer than the day that was promised.',
    trigger: { everySeconds: 900 },
    uses: { tables: { agents: 'delete' } },
    timeoutSeconds: 600,
  },
  sweepMeters: {
    id: 'sweep-meters',
    feature: 'billing',
    summary: 'Queues the shards of meters with holds of dead calls to release, or with accounts to renew',
    loss: 'Credits held by calls that died are not given back, and accounts that do not call are not renewed.',
    trigger: { everySeconds: 60 },
    uses: { tables: { meters: 'read' }, queues: ['holdSweeps', 'renewals'] },
    timeoutSeconds: 55,
  },
  releaseHolds: {
    id: 'release-holds',
    feature: 'billing',
    summary: 'Returns the credits of holds whose call died',
    loss: 'Credits held by calls that died are not given back.',
    trigger: { queue: 'holdSweeps', maxConcurrency: 20, batchSize: 1 },
    uses: { tables: { meters: 'write' } },
    timeoutSeconds: 55,
  },
  renewAccounts: {
    id: 'renew-accounts',
    feature: 'billing',
    summary: 'Settles what is due on accounts that do not call',
    loss: 'Accounts that do not call are not renewed; a call renews its account itself.',
    trigger: { queue: 'renewals', maxConcurrency: 64, batchSize: 1 },
    uses: { tables: { meters: 'write' } },
    timeoutSeconds: 55,
  },
  archiveLedger: {
    id: 'archive-ledger',
    feature: 'billing',
    summary: 'Moves the closed months of all accounts from the ledger table to the archive',
    loss: 'Closed months stay in the ledger table, where they cost more than in the archive. No row is lost.',
    trigger: { everySeconds: 21_600 },
    uses: { tables: { ledger: 'move' }, archive: 'write' },
    timeoutSeconds: 900,
  },
} as const satisfies Record<string, Job>;

export const allJobs: readonly Job[] = Object.values(jobs);

/**
 * Not one of the jobs of every stage: it runs only if the stage enables it, or with `npm start -- --canary`
 * (docs/adr/0016-canary.md).
 */
export const canary = {
  id: 'walk-canary',
  feature: 'canary',
  summary: 'Does what a new user does, from registering to a chat that is charged exactly, and deletes the account',
  loss: 'A new user does not get from registering to a first chat, or is not charged for it exactly.',
  trigger: { everySeconds: 300 },
  uses: { tables: { accounts: 'write' } },
  timeoutSeconds: 160,
} as const satisfies Job;
