import type { Idempotency } from '#domain/shared/idempotency.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import type { Middleware } from './call.ts';
import type { ForbiddenUses } from './forbidden-uses.ts';

export interface MismatchLimit {
  readonly isOn: boolean;
  readonly now: () => number;
  readonly records: () => Pick<Idempotency, 'countMismatch'>;
  readonly onLost: (error: unknown) => void;
}

const maxRemembered = 1000;

/** Ends of the limits of accounts, epoch ms. */
const limitedUntil = new Map<number, number>();

/**
 * Limits calls whose replies do not fit the requested format: each costs up to two model calls, and nothing to the
 * caller, who can choose a format that no reply fits. Counted when a call fails, so that others need no read; a process
 * refuses the calls after the first that it could not count.
 */
export function limitMismatches(forbidden: ForbiddenUses, limit: () => MismatchLimit): Middleware {
  return {
    before: async function refuseMismatches({ context: { call } }) {
      const { identity, order } = call;
      if (!identity || !order?.check || limitedUntil.size === 0) return;
      const waitMs = (limitedUntil.get(identity.caller.accountId) ?? 0) - limit().now();
      if (waitMs <= 0) return;
      await identity.prove?.();
      throw (await forbidden.byPlanOrKey(call)) ?? tooMany(waitMs);
    },
    onError: async function countMismatch({ error, context: { call } }) {
      if (!call.admission || !call.identity || !(error instanceof ServiceError && error.isMismatch)) return;
      const { accountId } = call.identity.caller;
      const { isOn, records, onLost } = limit();
      if (!isOn) return;
      try {
        const until = await records().countMismatch(accountId);
        if (until === undefined) return;
        if (limitedUntil.size >= maxRemembered) limitedUntil.clear();
        limitedUntil.set(accountId, until);
      } catch (lost) {
        onLost(lost);
      }
    },
  };
}

const tooMany = (waitMs: number): ServiceError =>
  new ServiceError(
    'RATE_LIMIT_EXCEEDED',
    'Too many responses of this account did not fit their requested format today (UTC), uncharged. Request no format, or try again tomorrow.',
    { retryAfterSeconds: Math.ceil(waitMs / 1000) },
  );
