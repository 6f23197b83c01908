import * as v from 'valibot';
import { planTables } from '../billing/plans.ts';
import { findModel, type Model } from '../inference/models.ts';
import { AnalysisEncoders, ModelEndpoints } from './model-endpoints.ts';
import type { QueueId, TableId } from './resources.ts';

/** The variable that names each table; set by the construct that grants access to it. */
export const tableVariables = {
  accounts: 'ACCOUNTS_TABLE',
  meters: 'METERS_TABLE',
  ledger: 'LEDGER_TABLE',
  idempotency: 'IDEMPOTENCY_TABLE',
  requests: 'REQUESTS_TABLE',
  audit: 'AUDIT_TABLE',
  webhooks: 'WEBHOOKS_TABLE',
  agents: 'AGENTS_TABLE',
  messages: 'MESSAGES_TABLE',
  transcriptions: 'TRANSCRIPTIONS_TABLE',
} as const satisfies Record<TableId, string>;

/** The variable with the URL of each queue, for those who send to it. */
export const queueVariables = {
  ledgerRetry: 'LEDGER_RETRY_QUEUE_URL',
  webhooks: 'WEBHOOKS_QUEUE_URL',
  slowWebhooks: 'SLOW_WEBHOOKS_QUEUE_URL',
  documents: 'DOCUMENTS_QUEUE_URL',
  holdSweeps: 'HOLD_SWEEPS_QUEUE_URL',
  renewals: 'RENEWALS_QUEUE_URL',
} as const satisfies Record<QueueId, string>;

const optionalNumber = (fallback: number) =>
  v.optional(v.pipe(v.string(), v.transform(Number), v.safeInteger()), String(fallback));

const listed = (text: string): ReadonlySet<string> => new Set(text.split(',').filter((part) => part !== ''));

const ChatModel = v.pipe(
  v.optional(v.string(), 'svc-instruct'),
  v.transform((id) => findModel(id, 'chat')),
  v.custom<Model>((model) => model !== undefined, 'must name a chat model'),
);

/**
 * What a function reads from its environment. A table's name is there only where the function may reach the table;
 * a missing one is reported when it is first needed.
 */
export const Environment = v.object({
  ACCOUNTS_TABLE: v.optional(v.string()),
  METERS_TABLE: v.optional(v.string()),
  LEDGER_TABLE: v.optional(v.string()),
  IDEMPOTENCY_TABLE: v.optional(v.string()),
  REQUESTS_TABLE: v.optional(v.string()),
  AUDIT_TABLE: v.optional(v.string()),
  WEBHOOKS_TABLE: v.optional(v.string()),
  AGENTS_TABLE: v.optional(v.string()),
  MESSAGES_TABLE: v.optional(v.string()),
  TRANSCRIPTIONS_TABLE: v.optional(v.string()),
  LEDGER_RETRY_QUEUE_URL: v.optional(v.string()),
  WEBHOOKS_QUEUE_URL: v.optional(v.string()),
  SLOW_WEBHOOKS_QUEUE_URL: v.optional(v.string()),
  DOCUMENTS_QUEUE_URL: v.optional(v.string()),
  HOLD_SWEEPS_QUEUE_URL: v.optional(v.string()),
  RENEWALS_QUEUE_URL: v.optional(v.string()),
  /** Bucket of the ledger's closed months. */
  ARCHIVE_BUCKET: v.optional(v.string()),
  /** Bucket of the files of long audio, and the asynchronous endpoint that transcribes them. */
  AUDIO_BUCKET: v.optional(v.string()),
  LONG_AUDIO_ENDPOINT: v.optional(v.string()),
  /** Origin of every mail link, never taken from a request. */
  PUBLIC_ORIGIN: v.optional(v.pipe(v.string(), v.url()), 'http://127.0.0.1:8787'),
  MAIL_SENDER: v.optional(v.string(), 'no-reply@example.com'),
  /** SES configuration set that mails are sent with; absent: none, and SES reports no bounces and complaints. */
  MAIL_CONFIGURATION_SET: v.optional(v.string()),
  /** JSON of a stage's own model endpoints, where it does not use the catalogue's. */
  MODEL_ENDPOINTS: v.optional(v.pipe(v.string(), v.parseJson(), ModelEndpoints), '{}'),
  /** A container responds within 60 s (InvokeEndpoint); this timeout ends before the function's own. */
  MODEL_DEADLINE_MS: optionalNumber(60_000),
  /** A stream may last so long in all; what is left of the function's 300 s is for its last event and the settlement. */
  MODEL_STREAM_DEADLINE_MS: optionalNumber(280_000),
  /** Countries that messages go to: ISO 3166-1 codes with commas between; none by default. */
  MESSAGE_COUNTRIES: v.optional(v.pipe(v.string(), v.transform(listed)), ''),
  /** US dollars that a segment, or a minute of a call, may cost at most. */
  MESSAGE_MAX_PRICE: v.optional(v.pipe(v.string(), v.regex(/^\d{1,2}(?:\.\d{1,5})?$/)), '0.15'),
  /** Number, pool or sender that messages come from; absent: AWS chooses one for an SMS, and there are no calls. */
  MESSAGE_ORIGINATION: v.optional(v.string()),
  /** Resources of AWS End User Messaging that messages are sent with. */
  MESSAGE_CONFIGURATION_SET: v.optional(v.string()),
  MESSAGE_PROTECT_CONFIGURATION: v.optional(v.string()),
  /** Messages to one number in an hour, of one account in a day, and in an hour to all numbers that differ in their last four digits only. */
  MESSAGES_PER_NUMBER: optionalNumber(10),
  MESSAGES_PER_ACCOUNT: optionalNumber(1000),
  MESSAGES_PER_RANGE: optionalNumber(50),
  /** Chat model that translates; callers need a plan that has it. */
  TRANSLATION_MODEL: ChatModel,
  /** Chat model that analyses texts; callers need a plan that has it. */
  ANALYSIS_MODEL: ChatModel,
  /** JSON of the encoders that do parts of an analysis in its place; absent: none. */
  ANALYSIS_ENCODERS: v.optional(v.pipe(v.string(), v.parseJson(), AnalysisEncoders), '{}'),
  /** Where the canary calls the service; absent: at its public origin. The chat model that it calls. */
  CANARY_ORIGIN: v.optional(v.string()),
  CANARY_MODEL: v.optional(v.string(), 'svc-1'),
  /** Which of the two plan tables is enforced (docs/guides/plans-and-limits.md#plans). */
  PLAN_TABLE: v.optional(v.picklist(planTables), 'listing'),
  /** Off: every request to AWS goes through the SDK, also the first attempt of a call's writes and invocations. */
  FAST_PATH: v.optional(v.picklist(['on', 'off']), 'on'),
  /** Limits by network (docs/security.md#throttles): off on one machine, where all callers are one. */
  NETWORK_LIMITS: v.optional(v.picklist(['on', 'off']), 'off'),
  /** Proxies in front of the gateway that add to X-Forwarded-For. */
  TRUSTED_PROXIES: optionalNumber(0),
  /** Header in which the edge names the caller's country; absent: there is none that can be believed. */
  COUNTRY_HEADER: v.optional(v.string()),
  /** Where webhooks may be: on one machine also at its loopback addresses, without TLS. */
  WEBHOOK_TARGETS: v.optional(v.picklist(['public', 'public and loopback']), 'public'),
  /** Audience of identity tokens: the client id of this service. */
  IDENTITY_AUDIENCE: v.optional(v.string()),
  /** Issuers of identity tokens, separated by commas, and where their keys are. */
  IDENTITY_ISSUERS: v.optional(v.string(), 'https://accounts.google.com,accounts.google.com'),
  IDENTITY_KEYS_URL: v.optional(v.pipe(v.string(), v.url()), 'https://www.googleapis.com/oauth2/v3/certs'),
  /** Base-2 logarithm of scrypt's cost N (docs/security.md#credentials). */
  SCRYPT_LOG2_N: optionalNumber(17),
  /** Session lifetimes: hours without a request, and days after the sign-in. */
  SESSION_IDLE_HOURS: optionalNumber(12),
  SESSION_MAX_DAYS: optionalNumber(30),
  /** `__Host-session` where the service is served over HTTPS, else `session`. */
  SESSION_COOKIE: v.optional(v.picklist(['session', '__Host-session']), 'session'),
});
export type Environment = v.InferOutput<typeof Environment>;
