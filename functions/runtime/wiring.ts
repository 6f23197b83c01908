import { newRequestId } from '#domain/shared/ids.ts';
import type { Authentication } from '#middleware/authenticate.ts';
import type { Outcome } from '#middleware/envelope.ts';
import type { Idempotent } from '#middleware/idempotency.ts';
import type { Meters } from '#middleware/meter.ts';
import type { RequestLog } from '#middleware/request-log.ts';
import { ambient } from './ambient.ts';
import { type CoreServices, environment } from './core-services.ts';
import { explainOutage } from './outage.ts';
import { logger, recordRequest } from './telemetry.ts';

/** What the middlewares are given; each part is looked up when a request needs it. */
export const log: RequestLog = {
  now: () => ambient.clock.now(),
  newRequestId: () => newRequestId(ambient.random),
  write: recordRequest,
};

export const outcome: Outcome = {
  get sessionCookie() {
    return environment().SESSION_COOKIE;
  },
  explain: explainOutage,
  onUnforeseen: (error, requestId) => logger().error('unforeseen error', { requestId, error }),
  onFailure: (error, failed) => logger().warn('a dependency failed', { ...failed, code: error.code, error }),
};

export const publicOrigin = (): string => environment().PUBLIC_ORIGIN;

export const authentication = (services: () => CoreServices) => (): Authentication => ({
  sessionCookie: environment().SESSION_COOKIE,
  now: () => ambient.clock.now(),
  findMeter: (accountId) => services().metering().find(accountId),
  findBySession: (session) => services().sessions().accountOf(session),
});

export const meters = (services: () => CoreServices) => (): Meters => ({
  metering: services().metering(),
  now: () => ambient.clock.now(),
  onLostSettlement: (error) => logger().error('a settlement was lost; its hold will lapse', { error }),
  onExcess: (excess) => logger().warn('a call came to more than was held for it', { ...excess }),
});

export const idempotent = (services: () => CoreServices) => (): Idempotent => ({
  records: services().idempotency(),
  onLostRecord: (error) => logger().error('the claim of an Idempotency-Key was not ended; it will lapse', { error }),
});
