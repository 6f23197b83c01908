import * as v from 'valibot';
import {
  freePlanRank,
  monthlyGrant,
  type PlanLimits,
  planListing,
  planOfRank,
  planTables,
} from '#contract/billing/plans.ts';
import { CorsOrigins } from '#contract/http/cors.ts';
import type { Uses } from '#contract/http/route.ts';
import { findModel, models } from '#contract/inference/models.ts';
import { type Job, jobsFor } from '#contract/jobs.ts';
import { offer } from '#contract/offer/current-offer.ts';
import { AnalysisEncoders, type ModelEndpoint, ModelEndpoints } from '#contract/platform/model-endpoints.ts';
import { hostedBy, withForeignImage } from './hosted-model.ts';
import {
  allocatedConcurrency,
  Backup,
  Compute,
  ExistingTables,
  FrontDoor,
  isElsewhere,
  MessageSettings,
  minEnvironments,
  PaymentSettings,
  Positive,
  ProvisionedConcurrency,
  ReservedConcurrency,
} from './settings.ts';

const Email = v.pipe(v.string(), v.email('must be an email address'));
const ChatModel = v.pipe(
  v.string(),
  v.check((id) => findModel(id, 'chat') !== undefined, 'must name a chat model'),
);
const keepable = [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 3653] as const;

const maxCallsPerMinute = Math.max(...planListing.map(({ rate_limit }) => rate_limit ?? 0));
/** Minimum five-minute limit, which no key reaches within its plan. */
const AbovePlans = v.pipe(
  Positive,
  v.minValue(5 * maxCallsPerMinute + 1, `must be more than five minutes of ${maxCallsPerMinute} calls`),
);

/** Whether a new account on the plan has credits for the canary's chats. */
export const paysCanary = (plan: Pick<PlanLimits, 'price' | 'creditsPerMonth'>): boolean =>
  plan.price === 0 && monthlyGrant(plan) > 0;

const Settings = v.strictObject({
  /** Part of every stack's name, so that stages can share an account. */
  name: v.pipe(v.string(), v.regex(/^[a-z][a-z0-9-]{0,15}$/, 'must be 1 to 16 of a-z, 0-9 and -, a letter first')),
  /** Account and region. Null: taken from the deployer's credentials. */
  env: v.nullable(
    v.strictObject({
      account: v.pipe(v.string(), v.regex(/^\d{12}$/, 'must be the 12 digits of an account')),
      region: v.pipe(v.string(), v.regex(/^[a-z]{2}(-[a-z]+)+-\d$/, 'must be a region such as eu-west-1')),
    }),
  ),
  frontDoor: FrontDoor,
  mail: v.strictObject({
    /** Sender address of emails. */
    sender: Email,
    /**
     * Stage that creates the SES identity of the sender's domain. Other stages of the account and region name it. Null:
     * the identity exists.
     */
    identityOwner: v.nullable(v.string()),
  }),
  messages: MessageSettings,
  /** Null: plans are granted without payment, and no credits are sold. */
  payments: v.optional(v.nullable(PaymentSettings), null),
  /**
   * Stage that sets the account's role for API Gateway logs. Other stages of the account and region name it. Null: the
   * role is set.
   */
  gatewayLogsOwner: v.nullable(v.string()),
  /** Client id of Google Identity Services, the audience of its tokens. Null: no Google sign-in. */
  googleClientId: v.nullable(v.pipe(v.string(), v.nonEmpty('must not be empty; null for none'))),
  models: v.strictObject({
    /**
     * Existing endpoints by model id, if they differ from the catalog's
     * (functions/contract/platform/model-endpoints.ts).
     */
    endpoints: ModelEndpoints,
    /** Endpoints that the stage creates, by model id. */
    hosted: hostedBy(models),
    /** Chat models for translations and text analysis. Default: the offer's. */
    translation: v.optional(v.nullable(ChatModel), offer.uses.translation),
    analysis: v.optional(v.nullable(ChatModel), offer.uses.analysis),
    /** Encoders for parts of an analysis (functions/contract/platform/model-endpoints.ts). */
    encoders: v.optional(AnalysisEncoders, {}),
    /** Asynchronous endpoint with WhisperX for long audio. Null: long audio is disabled (docs/deploy.md#long-audio). */
    longAudio: v.optional(
      v.nullable(v.pipe(v.string(), v.regex(/^[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}$/, 'must be the name of an endpoint'))),
      null,
    ),
  }),
  /** Existing tables, such as restored ones, that replace those of the stage (docs/runbook.md#restore-a-table). */
  existingTables: v.optional(ExistingTables, {}),
  /**
   * Daily backups with copies elsewhere. Null: only point-in-time recovery
   * (docs/runbook.md#restore-from-another-account).
   */
  backup: v.optional(v.nullable(Backup), null),
  /** The specification's table of plans to enforce (docs/guides/plans-and-limits.md#plans). */
  planTable: v.picklist(planTables, 'must be listing or overview'),
  /** Address of "Contact sales". Null hides the link. */
  salesEmail: v.optional(v.nullable(Email), null),
  /**
   * Origins whose pages may call the API with keys, or `*` for any. Empty: none
   * (docs/security.md#keys-in-browsers).
   */
  corsOrigins: v.optional(CorsOrigins, []),
  /** Network limits for sign-in, registration and emails (docs/security.md). */
  networkLimits: v.picklist(['on', 'off'], 'must be on or off'),
  /**
   * Session lifetimes: hours since the last request, and days since sign-in (docs/security.md#sessions-and-cookies).
   */
  sessions: v.optional(
    v.pipe(
      v.strictObject({
        idleHours: v.pipe(Positive, v.maxValue(720, 'must be at most 720')),
        maxDays: v.pipe(Positive, v.maxValue(365, 'must be at most 365')),
      }),
      v.check(({ idleHours, maxDays }) => idleHours <= 24 * maxDays, 'must have idleHours within maxDays'),
    ),
    { idleHours: 12, maxDays: 30 },
  ),
  /** `off`: the SDK sends every request to AWS (docs/adr/0008-quick-first-attempt.md). */
  fastPath: v.picklist(['on', 'off'], 'must be on or off'),
  /** `on`: accounts of the largest plans use several items (docs/adr/0039-holds-of-one-account.md). */
  lanes: v.optional(v.picklist(['on', 'off'], 'must be on or off'), 'off'),
  /** AWS WAF in front of the API. Null disables it. Limits are requests per address or key in five minutes. */
  firewall: v.nullable(
    v.strictObject({
      requests: AbovePlans,
      keyRequests: AbovePlans,
      signIns: v.pipe(Positive, v.minValue(10)),
      /** Version of the secret between edge and firewall. Another number creates another secret. */
      secretVersion: v.optional(Positive, 1),
    }),
  ),
  /**
   * API Gateway's throttle for all callers together. Requests above it get 429. Accounts also have their own limits.
   */
  throttle: v.strictObject({ requestsPerSecond: Positive, burst: Positive }),
  alarms: v.strictObject({
    /** Email address for alarms. Null: alarms are only displayed. */
    email: v.nullable(Email),
    /** US dollars per month, with notifications at 80 and 100%. Null: no budget. */
    monthlyBudgetUsd: v.nullable(Positive),
    /** Concurrent Lambda executions of the account and region above which an alarm fires. */
    claimedConcurrency: Positive,
  }),
  /** Log retention in days, a value that CloudWatch Logs supports. */
  logRetentionDays: v.picklist(keepable, `must be one of ${keepable.join(', ')}`),
  /** Where the functions of streaming routes run. */
  compute: v.optional(Compute, { kind: 'functions' }),
  /** Provisioned concurrency by route id. Each instance is charged permanently. */
  provisionedConcurrency: ProvisionedConcurrency,
  /** Reserved concurrency by job id: both guaranteed to the job and its maximum. Free of charge. */
  reservedConcurrency: v.optional(ReservedConcurrency, {}),
  /**
   * `canary`: new code receives 10% of the calls for ten minutes and is rolled back if it fails. `all-at-once`: new
   * code receives all calls immediately.
   */
  rollout: v.picklist(['canary', 'all-at-once'], 'must be canary or all-at-once'),
  /** Owner of the encryption key for tables with personal data: the account ($1 a month), or AWS. */
  accountsKey: v.picklist(['own', 'aws'], 'must be own or aws'),
  /**
   * Lets API keys store prompts and responses (docs/api.md#stored-prompts-and-responses). Its encryption key costs $1
   * a month.
   */
  storePrompts: v.optional(v.boolean(), false),
  /**
   * Every five minutes, a new user registers, chats with this model, or once it is retired with its replacement, and is
   * charged. An alarm fires if that fails. Null: no canary.
   */
  canary: v.nullable(
    v.pipe(
      v.strictObject({
        model: v.pipe(
          v.string(),
          v.check(
            (id) => findModel(id, 'chat')?.minPlanRank === freePlanRank,
            'must be a chat model that every plan includes',
          ),
        ),
      }),
      v.check(
        () => paysCanary(planOfRank(freePlanRank)),
        'must be null: a new account has no credits for its chats, because the first plan of the offer is not free',
      ),
    ),
  ),
});

/** All settings of a deployment. docs/deploy.md describes the effect and cost of each. */
export const Stage = v.pipe(
  Settings,
  v.forward(
    v.check(
      ({ frontDoor, firewall }) => frontDoor.kind === 'gateway' || firewall !== null,
      'is required with the edge: it rejects requests that bypass the edge with a forged caller address',
    ),
    ['firewall'],
  ),
  v.forward(
    v.check(
      ({ canary, models: { hosted } }) => canary === null || hosted[canary.model]?.minReplicas !== 0,
      'must not be a model that scales to zero, because the canary would keep it running',
    ),
    ['canary', 'model'],
  ),
  v.forward(
    v.check(
      ({ env, models: { hosted } }) => env === null || withForeignImage(hosted, env.region).length === 0,
      ({ input: { env, models } }) =>
        `must use images from registries in ${env?.region}; these do not: ${withForeignImage(models.hosted, env?.region ?? '').join(', ')}`,
    ),
    ['models', 'hosted'],
  ),
  v.forward(
    v.check(
      ({ env, backup }) => env === null || backup === null || isElsewhere(backup, env),
      'must have copyTo in another account or region than the stage',
    ),
    ['backup'],
  ),
  v.forward(
    v.check(
      (stage) => stage.alarms.claimedConcurrency > allocatedConcurrency(stage),
      'must have claimedConcurrency above the total of provisionedConcurrency and reservedConcurrency',
    ),
    ['alarms'],
  ),
  v.forward(
    v.check(
      (stage) => Object.keys(stage.provisionedConcurrency).every((id) => minEnvironments(stage, id) === undefined),
      'must not name a route of compute.routes, because its environments already run permanently',
    ),
    ['provisionedConcurrency'],
  ),
);
export type Stage = v.InferOutput<typeof Stage>;
export type StageInput = v.InferInput<typeof Stage>;

/** Name of the endpoint that a stage creates for a model, and of its inference component. */
export const hostedName = ({ name }: Pick<Stage, 'name'>, model: string): string => `text-ai-${name}-${model}`;

/**
 * Endpoints of every model, in order: the stage's settings, or the offer's. An endpoint that the stage creates replaces
 * the first.
 */
export function endpointsOf(stage: Stage): ReadonlyMap<string, readonly ModelEndpoint[]> {
  const { endpoints, hosted } = stage.models;
  return new Map(
    [...endpoints].map(([model, all]) => {
      const family = hosted[model]?.family;
      const endpoint = hostedName(stage, model);
      return [model, family ? [{ kind: 'sagemaker', endpoint, family, component: endpoint }, ...all.slice(1)] : all];
    }),
  );
}

export const allEndpoints = (stage: Stage): readonly ModelEndpoint[] => [...endpointsOf(stage).values()].flat();

/** Models with several endpoints. */
export const modelsWithFallback = (stage: Stage): readonly (readonly [string, readonly ModelEndpoint[]])[] =>
  [...endpointsOf(stage)].filter(([, endpoints]) => endpoints.length > 1);

/** Secrets with the API keys of model servers. */
export const secretsOf = (stage: Stage): string[] => [
  ...new Set(allEndpoints(stage).flatMap((endpoint) => (endpoint.kind === 'openai' ? (endpoint.secret ?? []) : []))),
];

/** Share of requests that X-Ray traces. Jobs are traced only as part of a traced request. */
export const traced = 0.05;

/** Jobs of a stage. Those of payments are deployed only with a payment provider. */
export const jobsOf = ({ payments }: Pick<Stage, 'payments'>): readonly Job[] => jobsFor(payments !== null);

/** Whether a function calls Stripe. Only such functions contain its package. */
export const callsStripe = ({ payments }: Pick<Stage, 'payments'>, uses: Uses): boolean =>
  payments !== null && uses.payments === true;

/** Whether a function calls Amazon Bedrock. Only such functions contain its package. */
export const callsBedrock = (stage: Stage, uses: Uses): boolean =>
  uses.inference === true && allEndpoints(stage).some(({ kind }) => kind === 'bedrock');
