import { newRequestId } from '#domain/shared/ids.ts';
import type { Outcome } from '#middleware/envelope.ts';
import type { RequestLog } from '#middleware/request-log.ts';
import { ambient } from '../shared/ambient.ts';
import { environment } from '../shared/environment.ts';
import { explainOutage } from '../shared/outage.ts';
import { logger, recordRequest } from '../shared/telemetry.ts';
import { callerAddressOf } from './network.ts';

/** What the request log and the envelope are given, also where no route matches: so nothing here loads a service. */
export const log: RequestLog = {
  now: () => ambient.clock.now(),
  newRequestId: () => newRequestId(ambient.random),
  addressOf: (event) => callerAddressOf(event, environment()),
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
