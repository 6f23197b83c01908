import * as v from 'valibot';
import { planTables } from '../billing/plans.ts';
import { findModel, type Model } from '../inference/models.ts';
import { offer } from '../offer/current-offer.ts';
import type { ModelUse } from '../offer/offer.ts';
import { AnalysisEncoders, ModelEndpoints } from './model-endpoints.ts';
import type { QueueId, TableId } from './resources.ts';

/** Environment variable for each table's name, set by the construct that grants access to it. */
export const tableVariables = {
  accounts: 'ACCOUNTS_TABLE',
  meters: 'METERS_TABLE',
  ledger: 'LEDGER_TABLE',
  idempotency: 'IDEMPOTENCY_TABLE',
  requests: 'REQUESTS_TABLE',
  audit: 'AUDIT_TABLE',
  directory: 'DIRECTORY_TABLE',
  webhooks: 'WEBHOOKS_TABLE',
  agents: 'AGENTS_TABLE',
  responses: 'RESPONSES_TABLE',
  messages: 'MESSAGES_TABLE',
  transcriptions: 'TRANSCRIPTIONS_TABLE',
  payments: 'PAYMENTS_TABLE',
} as const satisfies Record<TableId, string>;

/** Environment variable for each queue's URL, set for its senders. */
export const queueVariables = {
  ledgerRetry: 'LEDGER_RETRY_QUEUE_URL',
  mailRetry: 'MAIL_RETRY_QUEUE_URL',
  webhooks: 'WEBHOOKS_QUEUE_URL',
  slowWebhooks: 'SLOW_WEBHOOKS_QUEUE_URL',
  documents: 'DOCUMENTS_QUEUE_URL',
  holdSweeps: 'HOLD_SWEEPS_QUEUE_URL',
  renewals: 'RENEWALS_QUEUE_URL',
  payments: 'PAYMENTS_QUEUE_URL',
} as const satisfies Record<QueueId, string>;

const optionalNumber = (fallback: number) =>
  v.optional(v.pipe(v.string(), v.transform(Number), v.safeInteger()), String(fallback));

const listed = (text: string): ReadonlySet<string> => new Set(text.split(',').filter((part) => part !== ''));

/** Undefined if the offer has no model for this. */
function chatModelFor(use: ModelUse) {
  const fallback = offer.uses[use] ?? '';
  return v.pipe(
    v.optional(v.string(), fallback),
    v.check((id) => findModel(id, 'chat') !== undefined || (id === '' && fallback === ''), 'must name a chat model'),
    v.transform((id): Model | undefined => findModel(id, 'chat')),
  );
}

/**
 * Environment of a function. Contains the names of the tables that the function may access. A missing variable is
 * reported on first use.
 */
export const Environment = v.object({
  ACCOUNTS_TABLE: v.optional(v.string()),
  METERS_TABLE: v.optional(v.string()),
  LEDGER_TABLE: v.optional(v.string()),
  IDEMPOTENCY_TABLE: v.optional(v.string()),
  REQUESTS_TABLE: v.optional(v.string()),
  AUDIT_TABLE: v.optional(v.string()),
  DIRECTORY_TABLE: v.optional(v.string()),
  WEBHOOKS_TABLE: v.optional(v.string()),
  AGENTS_TABLE: v.optional(v.string()),
  RESPONSES_TABLE: v.optional(v.string()),
  MESSAGES_TABLE: v.optional(v.string()),
  TRANSCRIPTIONS_TABLE: v.optional(v.string()),
  PAYMENTS_TABLE: v.optional(v.string()),
  LEDGER_RETRY_QUEUE_URL: v.optional(v.string()),
  MAIL_RETRY_QUEUE_URL: v.optional(v.string()),
  WEBHOOKS_QUEUE_URL: v.optional(v.string()),
  SLOW_WEBHOOKS_QUEUE_URL: v.optional(v.string()),
  DOCUMENTS_QUEUE_URL: v.optional(v.string()),
  HOLD_SWEEPS_QUEUE_URL: v.optional(v.string()),
  RENEWALS_QUEUE_URL: v.optional(v.string()),
  PAYMENTS_QUEUE_URL: v.optional(v.string()),
  /** `none`: plans are granted without payment, and credits are not sold. */
  PAYMENTS: v.optional(v.picklist(['none', 'stripe']), 'none'),
  /**
   * Name of the secret with `StripeSecret` (`contract/payments/stripe-secret.ts`). On one machine, the next variable
   * has its value.
   */
  PAYMENTS_SECRET: v.optional(v.string()),
  PAYMENTS_SECRET_VALUE: v.optional(v.string()),
  /** Origin of a server that replaces Stripe's API. Default: Stripe. */
  STRIPE_API: v.optional(v.pipe(v.string(), v.url())),
  /** Bucket for closed months of the ledger. */
  ARCHIVE_BUCKET: v.optional(v.string()),
  /** Bucket for stored prompts and responses. Without it, none are stored. */
  CONTENT_BUCKET: v.optional(v.string()),
  /** Bucket for long audio, and the asynchronous endpoint that transcribes it. */
  AUDIO_BUCKET: v.optional(v.string()),
  LONG_AUDIO_ENDPOINT: v.optional(v.string()),
  /** Origin of the links in emails. Never derived from a request. */
  PUBLIC_ORIGIN: v.optional(v.pipe(v.string(), v.url()), 'http://127.0.0.1:8787'),
  MAIL_SENDER: v.optional(v.string(), 'no-reply@example.com'),
  /** SES configuration set for emails. Without it, SES reports no bounces and complaints. */
  MAIL_CONFIGURATION_SET: v.optional(v.string()),
  /** JSON of the stage's model endpoints that differ from the catalog. */
  MODEL_ENDPOINTS: v.optional(v.pipe(v.string(), v.parseJson(), ModelEndpoints), '{}'),
  /** SageMaker limits a container's response to 60 s (InvokeEndpoint). This timeout ends before the function's. */
  MODEL_DEADLINE_MS: optionalNumber(60_000),
  /** Maximum duration of a stream. The rest of the function's 300 s is for the last event and the settlement. */
  MODEL_STREAM_DEADLINE_MS: optionalNumber(280_000),
  /** Allowed destination countries of messages: ISO 3166-1 codes separated by commas. Default: none. */
  MESSAGE_COUNTRIES: v.optional(v.pipe(v.string(), v.transform(listed)), ''),
  /** Maximum price of a segment, or of a minute of a call, in US dollars. */
  MESSAGE_MAX_PRICE: v.optional(v.pipe(v.string(), v.regex(/^\d{1,2}(?:\.\d{1,5})?$/)), '0.15'),
  /** Number, pool or sender id for messages. Without it, AWS chooses one for SMS, and voice calls are disabled. */
  MESSAGE_ORIGINATION: v.optional(v.string()),
  /** Resources of AWS End User Messaging for sending. */
  MESSAGE_CONFIGURATION_SET: v.optional(v.string()),
  MESSAGE_PROTECT_CONFIGURATION: v.optional(v.string()),
  /**
   * Maximum messages per hour to one number, per day by one account, and per hour to all numbers that differ only in
   * their last four digits.
   */
  MESSAGES_PER_NUMBER: optionalNumber(10),
  MESSAGES_PER_ACCOUNT: optionalNumber(1000),
  MESSAGES_PER_RANGE: optionalNumber(50),
  /** Chat model for translations. The caller's plan must include it. */
  TRANSLATION_MODEL: chatModelFor('translation'),
  /** Chat model for text analysis. The caller's plan must include it. */
  ANALYSIS_MODEL: chatModelFor('analysis'),
  /** JSON of the encoders that perform parts of an analysis instead of the chat model. Default: none. */
  ANALYSIS_ENCODERS: v.optional(v.pipe(v.string(), v.parseJson(), AnalysisEncoders), '{}'),
  /** Origin that the canary calls (default: the public origin), and its chat model (default: the first that fits). */
  CANARY_ORIGIN: v.optional(v.string()),
  CANARY_MODEL: v.optional(v.string(), ''),
  /** Table of plans to enforce (docs/guides/plans-and-limits.md#plans). */
  PLAN_TABLE: v.optional(v.picklist(planTables), 'listing'),
  /** `off`: the SDK sends every request to AWS, including the first attempt of a call's writes and invocations. */
  FAST_PATH: v.optional(v.picklist(['on', 'off']), 'on'),
  /** `on`: the sweep opens lanes for accounts of the largest plans. `off`: it closes them. */
  LANES: v.optional(v.picklist(['on', 'off']), 'off'),
  /** Limits by network (docs/security.md#throttles). Off in local mode, where all callers share one address. */
  NETWORK_LIMITS: v.optional(v.picklist(['on', 'off']), 'off'),
  /** Number of proxies in front of the gateway that add to X-Forwarded-For. */
  TRUSTED_PROXIES: optionalNumber(0),
  /** Origins whose pages may call the API with keys, separated by commas, or `*`. Default: none. */
  CORS_ORIGINS: v.optional(v.pipe(v.string(), v.transform(listed)), ''),
  /** Header in which CloudFront reports the caller's country. Without it, the country is unknown. */
  COUNTRY_HEADER: v.optional(v.string()),
  /** Allowed webhook targets. Local mode also allows its loopback addresses without TLS. */
  WEBHOOK_TARGETS: v.optional(v.picklist(['public', 'public and loopback']), 'public'),
  /** Audience of identity tokens: this service's client id. */
  IDENTITY_AUDIENCE: v.optional(v.string()),
  /** Comma-separated issuers of identity tokens, and the URL of their keys. */
  IDENTITY_ISSUERS: v.optional(v.string(), 'https://accounts.google.com,accounts.google.com'),
  IDENTITY_KEYS_URL: v.optional(v.pipe(v.string(), v.url()), 'https://www.googleapis.com/oauth2/v3/certs'),
  /** Base-2 logarithm of scrypt's cost N (docs/security.md#credentials). */
  SCRYPT_LOG2_N: optionalNumber(17),
  /** Session lifetimes: hours since the last request, and days since sign-in. */
  SESSION_IDLE_HOURS: optionalNumber(12),
  SESSION_MAX_DAYS: optionalNumber(30),
  /** `__Host-session` over HTTPS, otherwise `session`. */
  SESSION_COOKIE: v.optional(v.picklist(['session', '__Host-session']), 'session'),
});
export type Environment = v.InferOutput<typeof Environment>;

/** Throws unless the environment names all these tables. */
export function requireTables(...needed: readonly TableId[]): void {
  const missing = needed.map((table) => tableVariables[table]).filter((name) => !process.env[name]);
  if (missing.length === 0) return;
  throw new Error(
    missing.length === 1
      ? `${missing[0]} is not set: set it to the name of the deployed table.`
      : `${new Intl.ListFormat('en-GB').format(missing)} are not set: set them to the names of the deployed tables.`,
  );
}
