import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { plansOf } from '#contract/billing/plans.ts';
import { type Environment, queueVariables, tableVariables } from '#contract/platform/environment.ts';
import type { QueueId, TableId } from '#contract/platform/resources.ts';
import { sessionService } from '#domain/accounts/sessions.ts';
import type { MeterStore } from '#domain/meter/meter-store.ts';
import { metering } from '#domain/meter/metering.ts';
import { idempotency } from '#domain/shared/idempotency.ts';
import { meterCalls, type Update } from '#repositories/meter/meter-calls.ts';
import { ambient, deferred, environment, lazy } from '../process.ts';

export type CoreServices = ReturnType<typeof createCoreServices>;

type UpdateBy = (environment: Environment, loadClient: () => Promise<DynamoDBDocumentClient>) => Update;

/**
 * What the middlewares of every route use, each part built when it is first needed. The stores, and with them the SDK, are loaded
 * by the first call of one of their methods: most priced calls make none, as the two writes of a call go by `updateBy`.
 */
export function createCoreServices(updateBy: UpdateBy) {
  const { clock, random } = ambient;
  const variables = environment();
  const plans = plansOf(variables.PLAN_TABLE);
  const table = (id: TableId): string => given(variables, tableVariables[id], `table ${id}`);
  const queueUrl = (id: QueueId): string => given(variables, queueVariables[id], `queue ${id}`);
  const dynamo = lazy(async () => (await import('../aws/clients.ts')).dynamoClient());

  const meters = lazy((): MeterStore => {
    const name = table('meters');
    const load = lazy(async () =>
      (await import('#repositories/meter/meters.ts')).meterStore(await dynamo(), name, random),
    );
    return {
      ...deferred(load, ['find', 'replace', 'cancelStream', 'watchHolds', 'workIn']),
      ...meterCalls(name, updateBy(variables, dynamo)),
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
      idleMs: variables.SESSION_IDLE_HOURS * 3_600_000,
      maxMs: variables.SESSION_MAX_DAYS * 86_400_000,
    };
    return sessionService(deferred(load, ['open', 'find', 'list', 'touch', 'end']), clock, random, lifetimes);
  });
  const idempotencyRecords = lazy(() => {
    const load = lazy(async () => {
      const { idempotencyStore } = await import('#repositories/idempotency.ts');
      return idempotencyStore(await dynamo(), table('idempotency'));
    });
    return idempotency(deferred(load, ['claim', 'keep', 'release', 'count']), clock);
  });
  return {
    environment: variables,
    clock,
    random,
    table,
    queueUrl,
    plans,
    metering: lazy(() => metering(meters(), plans)),
    idempotency: idempotencyRecords,
    sessions,
  };
}

type Resource = (typeof tableVariables)[TableId] | (typeof queueVariables)[QueueId];

/** What the construct that grants access to a resource has set. */
function given(variables: Environment, variable: Resource, resource: string): string {
  const name = variables[variable];
  if (!name) throw new Error(`${variable} is not set: this function was not given the ${resource}`);
  return name;
}
