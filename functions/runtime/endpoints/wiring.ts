import type { Authentication } from '#middleware/authenticate.ts';
import type { Idempotent } from '#middleware/idempotency.ts';
import type { Meters } from '#middleware/meter.ts';
import { createRefusalSampler } from '#middleware/request/refusal-sampler.ts';
import type { CoreServices } from '../services/core-services.ts';
import { ambient } from '../shared/ambient.ts';
import { environment } from '../shared/environment.ts';
import { logger, recordLostSettlement } from '../shared/telemetry.ts';

/** What the middlewares of a route are given; each part is looked up when a request needs it. */
export const publicOrigin = (): string => environment().PUBLIC_ORIGIN;

export const sampleRefusal = createRefusalSampler();

export const authentication = (services: () => CoreServices) => (): Authentication => ({
  sessionCookie: environment().SESSION_COOKIE,
  now: () => ambient.clock.now(),
  findMeter: (accountId) => services().metering().find(accountId),
  findBySession: (session) => services().sessions().accountOf(session),
});

export const meters = (services: () => CoreServices) => (): Meters => ({
  metering: services().metering(),
  now: () => ambient.clock.now(),
  onLostSettlement: (error, lost) => {
    logger().error('a settlement was lost; its hold will expire', { ...lost, error });
    recordLostSettlement();
  },
  onExcess: (excess) => logger().warn('a call came to more than was held for it', { ...excess }),
});

export const idempotent = (services: () => CoreServices) => (): Idempotent => ({
  records: services().idempotency(),
  onLostRecord: (error) => logger().error('the claim of an Idempotency-Key was not ended; it will expire', { error }),
});
