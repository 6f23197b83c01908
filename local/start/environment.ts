import { devNull } from 'node:os';
import { type CorsOrigins, corsVariable } from '#contract/http/cors.ts';
import { queueVariables, tableVariables } from '#contract/platform/environment.ts';
import { type QueueId, queues, type TableId, tables } from '#contract/platform/resources.ts';
import { queueUrl } from '../sqs/server.ts';

const endpointVariables = {
  dynamodb: 'AWS_ENDPOINT_URL_DYNAMODB',
  ses: 'AWS_ENDPOINT_URL_SES',
  sagemaker: 'AWS_ENDPOINT_URL_SAGEMAKER_RUNTIME',
  bedrock: 'AWS_ENDPOINT_URL_BEDROCK_RUNTIME',
  messaging: 'AWS_ENDPOINT_URL_PINPOINT_SMS_VOICE_V2',
} as const;

export const longAudio = { bucket: 'audio', endpoint: 'long-audio' } as const;

export const archiveBucket = 'archive';
export const contentBucket = 'contents';

/** Queues and buckets are always local, because an external service would not have them. */
export type Endpoints = Readonly<Record<keyof typeof endpointVariables | 'sqs' | 's3', string>>;

/** URLs that the user has set. These services are used unchanged and not started. */
export type ExternalEndpoints = Readonly<Record<keyof typeof endpointVariables, string | undefined>>;

export function externalEndpoints(): ExternalEndpoints {
  return {
    dynamodb: process.env[endpointVariables.dynamodb] || undefined,
    ses: process.env[endpointVariables.ses] || undefined,
    sagemaker: process.env[endpointVariables.sagemaker] || undefined,
    bedrock: process.env[endpointVariables.bedrock] || undefined,
    messaging: process.env[endpointVariables.messaging] || undefined,
  };
}

const dummyCredentials = { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' };

/** Removes the user's AWS configuration, so that no call reaches AWS with their credentials. */
const noProfile = {
  AWS_PROFILE: undefined,
  AWS_SESSION_TOKEN: undefined,
  AWS_CONFIG_FILE: devNull,
  AWS_SHARED_CREDENTIALS_FILE: devNull,
  AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: undefined,
};

/** Sets the variables of all AWS clients. Returns a function that restores them. */
export function setCredentials(external: ExternalEndpoints): () => void {
  const isElsewhere = Object.values(external).some((endpoint) => endpoint !== undefined && !isLoopback(endpoint));
  const credentials = isElsewhere && hasCredentials() ? {} : { ...dummyCredentials, ...noProfile };
  return setVariables({ ...credentials, AWS_EC2_METADATA_DISABLED: 'true' });
}

function isLoopback(endpoint: string): boolean {
  const name = URL.parse(endpoint)?.hostname ?? '';
  return name === 'localhost' || name === '[::1]' || /^127(\.\d+){3}$/.test(name);
}

/** Keeps the user's credentials if they use an external service. */
function hasCredentials(): boolean {
  return Boolean(process.env['AWS_ACCESS_KEY_ID'] || process.env['AWS_PROFILE']);
}

/** The stand-in for Stripe, with its secrets. */
export interface PaymentsEndpoint {
  readonly url: string;
  readonly secretKey: string;
  readonly webhookSecret: string;
}

/** Sets the variables of the functions, as CDK would. Returns a function that restores them. */
export function setFunctionVariables(
  publicOrigin: string,
  endpoints: Endpoints,
  stripe: PaymentsEndpoint | undefined,
  corsOrigins: CorsOrigins,
): () => void {
  return setVariables({
    ...(stripe && {
      PAYMENTS: 'stripe',
      PAYMENTS_SECRET_VALUE: JSON.stringify({ apiKey: stripe.secretKey, webhookSecrets: [stripe.webhookSecret] }),
      STRIPE_API: stripe.url,
    }),
    [endpointVariables.dynamodb]: endpoints.dynamodb,
    [endpointVariables.ses]: endpoints.ses,
    [endpointVariables.sagemaker]: endpoints.sagemaker,
    [endpointVariables.bedrock]: endpoints.bedrock,
    [endpointVariables.messaging]: endpoints.messaging,
    AWS_ENDPOINT_URL_SQS: endpoints.sqs,
    AWS_ENDPOINT_URL_S3: endpoints.s3,
    AUDIO_BUCKET: longAudio.bucket,
    ARCHIVE_BUCKET: archiveBucket,
    CONTENT_BUCKET: contentBucket,
    LONG_AUDIO_ENDPOINT: longAudio.endpoint,
    ...tableNames(),
    ...queueUrls(endpoints.sqs),
    PUBLIC_ORIGIN: publicOrigin,
    CORS_ORIGINS: corsVariable(corsOrigins),
    MAIL_SENDER: 'no-reply@example.com',
    // An external SES has its own configuration sets.
    MAIL_CONFIGURATION_SET: externalEndpoints().ses ? process.env['MAIL_CONFIGURATION_SET'] : 'local',
    MESSAGE_COUNTRIES:
      process.env['MESSAGE_COUNTRIES'] ?? 'AT,AU,BE,CA,CH,DE,DK,ES,FI,FR,GB,IE,IT,JP,NL,NO,NZ,PL,PT,SE,US',
    MESSAGE_ORIGINATION: process.env['MESSAGE_ORIGINATION'] ?? '+14155550199',
    SESSION_COOKIE: 'session',
    WEBHOOK_TARGETS: 'public and loopback',
    IDENTITY_AUDIENCE: 'local',
    IDENTITY_ISSUERS: `${publicOrigin}/_local/identity`,
    IDENTITY_KEYS_URL: `${publicOrigin}/_local/identity/jwks.json`,
    POWERTOOLS_METRICS_DISABLED: 'true',
    POWERTOOLS_LOG_LEVEL: process.env['POWERTOOLS_LOG_LEVEL'] ?? 'ERROR',
  });
}

export function tableNames(): Record<string, string> {
  const ids = Object.keys(tableVariables).filter((id): id is TableId => id in tables);
  return Object.fromEntries(ids.map((id) => [tableVariables[id], tables[id].name]));
}

function queueUrls(server: string): Record<string, string> {
  const ids = Object.keys(queueVariables).filter((id): id is QueueId => id in queues);
  return Object.fromEntries(ids.map((id) => [queueVariables[id], queueUrl(server, queues[id].name)]));
}

function setVariables(values: Readonly<Record<string, string | undefined>>): () => void {
  const before = Object.keys(values).map((name) => [name, process.env[name]] as const);
  const apply = ([name, value]: readonly [string, string | undefined]): void => {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  };
  Object.entries(values).forEach(apply);
  return () => before.forEach(apply);
}
