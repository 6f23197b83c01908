import * as v from 'valibot';
import { allJobs } from '#contract/jobs.ts';
import { allRoutes } from '#contract/routes.ts';

export const Positive = v.pipe(v.number(), v.integer(), v.minValue(1, 'must be 1 or more'));

const routeIds = new Set(allRoutes.map(({ id }) => id));
const jobIds = new Set(allJobs.map(({ id }) => id));
const queueJobs = allJobs.filter(({ trigger }) => 'queue' in trigger).map(({ id }) => id);

/**
 * Lambda polls a queue with five connections (AWS "Configuring scaling behavior for SQS event source mappings"). With
 * lower concurrency, messages would be received, throttled, and moved to the dead-letter queue before their attempts.
 */
const minQueueConcurrency = 5;

export const ProvisionedConcurrency = v.pipe(
  v.record(v.string(), Positive),
  v.check((given) => Object.keys(given).every((id) => routeIds.has(id)), 'must name routes by their id'),
);

export const ReservedConcurrency = v.pipe(
  v.record(v.string(), Positive),
  v.check((given) => Object.keys(given).every((id) => jobIds.has(id)), `must name jobs: ${[...jobIds].join(', ')}`),
  v.check(
    (given) => queueJobs.every((id) => (given[id] ?? minQueueConcurrency) >= minQueueConcurrency),
    `must be ${minQueueConcurrency} or more for a job on a queue: ${queueJobs.join(', ')}`,
  ),
);

/** Routes that may share environments: their functions mostly wait for a model. */
const sharable = allRoutes.flatMap(({ id, priced, streaming }) => (priced && streaming ? [id] : []));

const idsOf = (kind: string, example: RegExp, name: string, max: number) =>
  v.pipe(
    v.array(v.pipe(v.string(), v.regex(example, `must be the id of a ${name}, such as ${kind}-0123456789abcdef0`))),
    v.minLength(1, `must contain the id of at least one ${name}`),
    v.maxLength(max, `must contain at most ${max} ids`),
  );

/** Compute of streaming routes (docs/deploy.md#shared-environments). */
export const Compute = v.variant('kind', [
  v.strictObject({
    /** One call at a time in each environment. */
    kind: v.literal('functions'),
  }),
  v.strictObject({
    /** Many calls at a time in each environment, on EC2 instances in the account that Lambda manages. */
    kind: v.literal('managed-instances'),
    /** Subnets of the instances, in several availability zones, with access to the AWS services that the routes use. */
    subnetIds: idsOf('subnet', /^subnet-[0-9a-f]{8,17}$/, 'subnet', 16),
    /** Security groups of the instances. They need no inbound rule. */
    securityGroupIds: idsOf('sg', /^sg-[0-9a-f]{8,17}$/, 'security group', 5),
    /** Minimum environments by route id. Each is charged permanently. Other routes are not moved. */
    routes: v.pipe(
      v.record(v.string(), Positive),
      v.check((given) => Object.keys(given).length > 0, 'must name at least one route'),
      v.check(
        (given) => Object.keys(given).every((id) => sharable.includes(id)),
        `must name priced routes that stream: ${sharable.join(', ')}`,
      ),
    ),
    /** Maximum concurrent calls of an environment. Default: 64, which is Lambda's default for Node.js. */
    callsPerEnvironment: v.optional(v.pipe(Positive, v.maxValue(200, 'must be 200 or less, as many as are tested'))),
  }),
]);
export type Compute = v.InferOutput<typeof Compute>;

/** Minimum of the shared environments of a route. Undefined: each environment of the route has one call at a time. */
export function minEnvironments({ compute }: { readonly compute: Compute }, routeId: string): number | undefined {
  return compute.kind === 'functions' ? undefined : compute.routes[routeId];
}

interface Allocated {
  readonly provisionedConcurrency: v.InferOutput<typeof ProvisionedConcurrency>;
  readonly reservedConcurrency: v.InferOutput<typeof ReservedConcurrency>;
}

/** Concurrency that a stage reserves from its account. */
export const allocatedConcurrency = ({ provisionedConcurrency, reservedConcurrency }: Allocated): number =>
  [provisionedConcurrency, reservedConcurrency].flatMap(Object.values<number>).reduce((sum, one) => sum + one, 0);

const Host = v.pipe(v.string(), v.regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/, 'must be a host name such as text.example.com'));

/**
 * CloudFront accepts only certificates of this region (AWS "Requirements for using SSL/TLS certificates with
 * CloudFront").
 */
const Certificate = v.pipe(
  v.string(),
  v.regex(/^arn:aws:acm:us-east-1:\d{12}:certificate\/[\w-]+$/, 'must be the ARN of a certificate in us-east-1'),
);

/** Public access to the service. */
export const FrontDoor = v.variant('kind', [
  v.strictObject({
    /** CloudFront: dashboard, API reference and API on one host. */
    kind: v.literal('edge'),
    /** Custom host with its certificate. Null: the name that CloudFront assigns. */
    domain: v.nullable(v.strictObject({ name: Host, certificateArn: Certificate })),
  }),
  v.strictObject({
    /** Deploys only the API, behind your own front end. */
    kind: v.literal('gateway'),
    /** Public origin of the dashboard, for email links and sessions. */
    publicOrigin: v.pipe(
      v.string(),
      v.regex(/^https?:\/\/[^/]+$/, 'must be a scheme and a host, such as https://text.example.com'),
    ),
    /** Number of proxies in front of the gateway that append to X-Forwarded-For. */
    trustedProxies: v.pipe(v.number(), v.integer(), v.minValue(0)),
  }),
]);
export type FrontDoor = v.InferOutput<typeof FrontDoor>;

/**
 * Origin of the dashboard's pages, for rules of other services. A name that CloudFront assigns is known only after the
 * distribution is created, which is later; in that case any CloudFront name is allowed.
 */
export function pageOrigin(frontDoor: FrontDoor): string {
  if (frontDoor.kind === 'gateway') return frontDoor.publicOrigin;
  return `https://${frontDoor.domain?.name ?? '*.cloudfront.net'}`;
}

/** Messages to phones (docs/messages.md). */
export const MessageSettings = v.strictObject({
  /** Destination countries (ISO 3166-1). Empty: messages are disabled. */
  countries: v.array(v.pipe(v.string(), v.regex(/^[A-Z]{2}$/, 'must be a country such as US'))),
  /** Maximum price of a segment, or of a minute of a call, in US dollars. */
  maxPriceUsd: v.pipe(v.number(), v.minValue(0.001, 'must be 0.001 or more'), v.maxValue(10, 'must be 10 or less')),
  /**
   * The account's number, pool or sender id for messages. Null: AWS chooses one for SMS, and voice calls are disabled.
   */
  origination: v.nullable(v.pipe(v.string(), v.regex(/^[\w+:/-]{1,256}$/, 'must be a number, a pool or a sender'))),
  /** Maximum messages per hour to one number, per day by one account, and per hour to a range of 10,000 numbers. */
  perNumberPerHour: Positive,
  perAccountPerDay: Positive,
  perRangePerHour: Positive,
});

/** Payment providers (docs/payments.md). */
export const PaymentSettings = v.strictObject({
  stripe: v.strictObject({
    /** Name of the secret with the API key and the signing secrets of the webhook endpoint. */
    secret: v.pipe(v.string(), v.regex(/^[\w/+=.@-]{1,512}$/, 'must be the name of a secret')),
    /** Customer-managed key that encrypts the secret. Default: the AWS managed key. */
    secretKeyArn: v.optional(
      v.pipe(v.string(), v.regex(/^arn:[\w-]+:kms:[a-z0-9-]+:\d{12}:key\/[\w-]+$/, 'must be the ARN of a KMS key')),
    ),
  }),
});

/** Name of a table and, if functions read it, its stream. */
const ExistingTable = v.strictObject({
  name: v.pipe(v.string(), v.regex(/^[\w.-]{3,255}$/, 'must be the name of a table')),
  streamArn: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^arn:[\w-]+:dynamodb:[^:]+:\d{12}:table\/[\w.-]+\/stream\/.+$/, 'must be the ARN of a stream'),
    ),
  ),
});
export type ExistingTable = v.InferOutput<typeof ExistingTable>;

const Followed = v.pipe(
  ExistingTable,
  v.check(({ streamArn }) => streamArn !== undefined, 'must have streamArn, because functions read its stream'),
);

export const ExistingTables = v.strictObject({
  accounts: v.optional(Followed),
  meters: v.optional(Followed),
  ledger: v.optional(ExistingTable),
  idempotency: v.optional(ExistingTable),
  requests: v.optional(ExistingTable),
  audit: v.optional(ExistingTable),
  webhooks: v.optional(ExistingTable),
  agents: v.optional(ExistingTable),
  responses: v.optional(ExistingTable),
  messages: v.optional(Followed),
  transcriptions: v.optional(ExistingTable),
  directory: v.optional(ExistingTable),
  payments: v.optional(ExistingTable),
});

/** Copies cannot be sent to the vault named Default (AWS "Creating backup copies across AWS accounts"). */
const Vault = v.pipe(
  v.string(),
  v.regex(/^arn:aws[\w-]*:backup:[a-z0-9-]+:\d{12}:backup-vault:[\w-]{2,50}$/, 'must be the ARN of a backup vault'),
  v.check((arn) => !arn.endsWith(':Default'), 'must not be the vault Default, whose key no other account can use'),
);

export const Backup = v.strictObject({
  /** Vault of another account or region for the copies. You create it and allow this account to copy into it. */
  copyTo: Vault,
  /** Retention of copies in days. */
  days: v.pipe(Positive, v.maxValue(36_500, 'must be 36500 or less')),
});

export interface Place {
  readonly account: string;
  readonly region: string;
}

/** Returns whether copies leave the account or the region of a stage. */
export const isElsewhere = ({ copyTo }: v.InferOutput<typeof Backup>, { account, region }: Place): boolean =>
  !copyTo.includes(`:backup:${region}:${account}:`);

/** Source and stages (of lib/stages.ts) of the pipeline. */
export const PipelineSettings = v.strictObject({
  repository: v.pipe(v.string(), v.regex(/^[\w.-]+\/[\w.-]+$/, 'must be owner/name')),
  branch: v.pipe(v.string(), v.nonEmpty('must not be empty')),
  /** Connection to the repository's host (AWS CodeConnections), created once in the console. */
  connectionArn: v.pipe(
    v.string(),
    v.regex(/^arn:aws:(codeconnections|codestar-connections):/, 'must be the ARN of a connection'),
  ),
  staging: v.string(),
  production: v.string(),
});
export type PipelineSettings = v.InferOutput<typeof PipelineSettings>;
export type PipelineInput = v.InferInput<typeof PipelineSettings>;
