import { devNull } from 'node:os';
import { queueVariables, tableVariables } from '#contract/platform/environment.ts';
import { type QueueId, queues, type TableId, tables } from '#contract/platform/resources.ts';
import { queueUrl } from '../sqs/server.ts';

/** The services replaced on one machine, with the variable that their SDK clients take the address from. */
const endpointVariables = {
  dynamodb: 'AWS_ENDPOINT_URL_DYNAMODB',
  ses: 'AWS_ENDPOINT_URL_SES',
  sagemaker: 'AWS_ENDPOINT_URL_SAGEMAKER_RUNTIME',
  messaging: 'AWS_ENDPOINT_URL_PINPOINT_SMS_VOICE_V2',
} as const;

/** The bucket of long audio, and the endpoint that transcribes it. */
export const longAudio = { bucket: 'audio', endpoint: 'svc-transcribe-async' } as const;

/** The bucket of the ledger's closed months. */
export const archiveBucket = 'archive';

/** The queues and the buckets are always the service's own: others would not have them. */
export type Endpoints = Readonly<Record<keyof typeof endpointVariables | 'sqs' | 's3', string>>;

/** Addresses the person has set; those services are used as they are and not started. */
export type ExternalEndpoints = Readonly<Record<keyof typeof endpointVariables, string | undefined>>;

export function externalEndpoints(): ExternalEndpoints {
  return {
    dynamodb: process.env[endpointVariables.dynamodb] || undefined,
    ses: process.env[endpointVariables.ses] || undefined,
    sagemaker: process.env[endpointVariables.sagemaker] || undefined,
    messaging: process.env[endpointVariables.messaging] || undefined,
  };
}

const dummyCredentials = { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' };

/** Nothing of the person's own AWS set-up, so that no call can reach AWS in their name. */
const noProfile = {
  AWS_PROFILE: undefined,
  AWS_SESSION_TOKEN: undefined,
  AWS_CONFIG_FILE: devNull,
  AWS_SHARED_CREDENTIALS_FILE: devNull,
  AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: undefined,
};

/** Sets what every AWS client here needs, and gives back how to undo it. */
export function setCredentials(external: ExternalEndpoints): () => void {
  const isElsewhere = Object.values(external).some((endpoint) => endpoint !== undefined && !isLoopback(endpoint));
  const credentials = isElsewhere && hasCredentials() ? {} : { ...dummyCredentials, ...noProfile };
  return setVariables({ ...credentials, AWS_EC2_METADATA_DISABLED: 'true' });
}

function isLoopback(endpoint: string): boolean {
  const name = URL.parse(endpoint)?.hostname ?? '';
  return name === 'localhost' || name === '[::1]' || /^127(\.\d+){3}$/.test(name);
}

/** Whoever names a service on another machine means it to be called with their own credentials. */
function hasCredentials(): boolean {
  return Boolean(process.env['AWS_ACCESS_KEY_ID'] || process.env['AWS_PROFILE']);
}

/** Sets what the functions read, as CDK would for each of them, and gives back how to undo it. */
export function setFunctionVariables(publicOrigin: string, endpoints: Endpoints): () => void {
  return setVariables({
    [endpointVariables.dynamodb]: endpoints.dynamodb,
    [endpointVariables.ses]: endpoints.ses,
    [endpointVariables.sagemaker]: endpoints.sagemaker,
    [endpointVariables.messaging]: endpoints.messaging,
    AWS_ENDPOINT_URL_SQS: endpoints.sqs,
    AWS_ENDPOINT_URL_S3: endpoints.s3,
    AUDIO_BUCKET: longAudio.bucket,
    ARCHIVE_BUCKET: archiveBucket,
    LONG_AUDIO_ENDPOINT: longAudio.endpoint,
    ...tableNames(),
    ...queueUrls(endpoints.sqs),
    PUBLIC_ORIGIN: publicOrigin,
    MAIL_SENDER: 'no-reply@example.com',
    // An SES that the person named has its own configuration sets, or none.
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

function tableNames(): Record<string, string> {
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
