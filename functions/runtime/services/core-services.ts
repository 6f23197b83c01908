import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { plansOf } from '#contract/billing/plans.ts';
import type { Route } from '#contract/http/route.ts';
import type { Model } from '#contract/inference/models.ts';
import { offeredPacks } from '#contract/offer/current-offer.ts';
import { type Environment, queueVariables, tableVariables } from '#contract/platform/environment.ts';
import type { QueueId, TableId } from '#contract/platform/resources.ts';
import { dayMs, hourMs } from '#contract/shared/time.ts';
import { sessionService, type SessionStore } from '#domain/accounts/sessions.ts';
import { renewals } from '#domain/billing/grants.ts';
import type { MeterStore } from '#domain/meter/meter.ts';
import { metering } from '#domain/meter/metering.ts';
import { idempotency, type IdempotencyStore } from '#domain/shared/idempotency.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import { type MeterAccess, meterCalls } from '#repositories/meter/meter-calls.ts';
import { ambient, environment, lazy } from '../process.ts';

export type CoreServices = ReturnType<typeof createCoreServices>;

type AccessBy = (environment: Environment, loadClient: () => Promise<DynamoDBDocumentClient>) => MeterAccess;

/** Loads stores and the SDK on the first method call; most priced calls need neither. */
export function createCoreServices(accessBy: AccessBy) {
  const { clock, random } = ambient;
  const variables = environment();
  const plans = plansOf(variables.PLAN_TABLE);
  const table = (id: TableId): string => requiredVariable(variables, tableVariables[id], `table ${id}`);
  const queueUrl = (id: QueueId): string => requiredVariable(variables, queueVariables[id], `queue ${id}`);
  const dynamo = lazy(async () => (await import('./dynamo-client.ts')).dynamoClient());

  const meters = lazy((): MeterStore => {
    const name = table('meters');
    const load = lazy(async () =>
      (await import('#repositories/meter/meters.ts')).meterStore(await dynamo(), name, random),
    );
    return {
      ...meterCalls(name, accessBy(variables, dynamo)),
      replace: async (...given) => (await load()).replace(...given),
      endProgress: async (...given) => (await load()).endProgress(...given),
      watchHolds: async (...given) => (await load()).watchHolds(...given),
      findLanes: async (...given) => (await load()).findLanes(...given),
      openLanes: async (...given) => (await load()).openLanes(...given),
      moveLease: async (...given) => (await load()).moveLease(...given),
      closeLane: async (...given) => (await load()).closeLane(...given),
      postCharges: async (...given) => (await load()).postCharges(...given),
      workIn: async (...given) => (await load()).workIn(...given),
      async *accountsDue(...given) {
        yield* (await load()).accountsDue(...given);
      },
      async *accountsWithOldHolds(...given) {
        yield* (await load()).accountsWithOldHolds(...given);
      },
    };
  });
  const sessions = lazy(() => {
    const load = lazy(async () => {
      const { sessionStore } = await import('#repositories/accounts/sessions.ts');
      return sessionStore(await dynamo(), table('accounts'));
    });
    const lifetimes = {
      idleMs: variables.SESSION_IDLE_HOURS * hourMs,
      maxMs: variables.SESSION_MAX_DAYS * dayMs,
    };
    const store: SessionStore = {
      open: async (...given) => (await load()).open(...given),
      find: async (...given) => (await load()).find(...given),
      isShared: async (...given) => (await load()).isShared(...given),
      list: async (...given) => (await load()).list(...given),
      touch: async (...given) => (await load()).touch(...given),
      end: async (...given) => (await load()).end(...given),
    };
    return sessionService(store, clock, random, lifetimes);
  });
  const idempotencyRecords = lazy(() => {
    const load = lazy(async () => {
      const { idempotencyStore } = await import('#repositories/idempotency.ts');
      return idempotencyStore(await dynamo(), table('idempotency'));
    });
    const store: IdempotencyStore = {
      claim: async (...given) => (await load()).claim(...given),
      complete: async (...given) => (await load()).complete(...given),
      release: async (...given) => (await load()).release(...given),
      count: async (...given) => (await load()).count(...given),
    };
    return idempotency(store, clock);
  });
  const contents = lazy(async () => {
    const { CONTENT_BUCKET } = variables;
    if (CONTENT_BUCKET === undefined)
      throw new ServiceError('INVALID_STATE', 'This service does not store prompts and responses.');
    const { contentFiles } = await import('#gateways/stored-content.ts');
    return contentFiles(CONTENT_BUCKET, clock);
  });
  const sellsCredits = variables.PAYMENTS !== 'none' && offeredPacks.length > 0;
  return {
    environment: variables,
    clock,
    random,
    table,
    queueUrl,
    plans,
    sellsCredits,
    metering: lazy(() => metering(meters(), renewals(plans), sellsCredits, variables.LANES === 'on')),
    idempotency: idempotencyRecords,
    sessions,
    contents,
  };
}

type Resource = (typeof tableVariables)[TableId] | (typeof queueVariables)[QueueId];

function requiredVariable(variables: Environment, variable: Resource, resource: string): string {
  const name = variables[variable];
  if (!name) throw new Error(`${variable} is not set: this function was not given the ${resource}`);
  return name;
}

/** Seconds of function time reserved for the response and the settlement after a model timeout. */
const settlementSeconds = 3;

/** Returns the deadlines in ms for a reply or each chunk, and for an entire stream (docs/meter.md#deadlines). */
export function modelDeadlines(
  { timeoutSeconds }: Pick<Route, 'timeoutSeconds'>,
  environment: Pick<Environment, 'MODEL_DEADLINE_MS' | 'MODEL_STREAM_DEADLINE_MS'>,
) {
  const maxMs = (timeoutSeconds - settlementSeconds) * 1000;
  return {
    deadlineMs: Math.min(environment.MODEL_DEADLINE_MS, maxMs),
    streamDeadlineMs: Math.min(environment.MODEL_STREAM_DEADLINE_MS, maxMs),
  };
}

/** Throws 404 if the offer has no model for a service. */
export function offeredModel(model: Model | undefined, service: string): Model {
  if (model) return model;
  throw new ServiceError('NOT_FOUND', `${service} is not offered by this platform.`);
}
