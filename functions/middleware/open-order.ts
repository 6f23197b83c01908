import { errorStatus } from '#contract/shared/errors.ts';
import type { Order } from '#domain/inference/order.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import type { Call, Middleware } from './call.ts';
import type { ForbiddenUses } from './forbidden-uses.ts';

/** Creates or completes the order from stored objects, or throws (404, 409). Has no side effects. */
export type OpenOrder = (call: Call) => Promise<Order>;

/**
 * Resolves the objects that a priced call names, before admission. A refusal awaits the proof, so that invalid keys
 * reveal nothing. A forbidden model or service (403) precedes the state of any object (404, 409).
 */
export function openOrder(open: OpenOrder, forbidden: ForbiddenUses): Middleware {
  return {
    before: async function openOrderOfCall({ context: { call } }) {
      if (call.idempotency?.replay) return;
      try {
        call.order = await open(call);
      } catch (error) {
        await call.identity?.prove?.();
        throw (isStateRefusal(error) ? await forbidden.byPlanOrKey(call) : undefined) ?? error;
      }
    },
  };
}

/** Whether a refusal follows the 403 in the order of refusals (docs/api.md#order-of-refusals). */
function isStateRefusal(error: unknown): boolean {
  const status = error instanceof ServiceError ? errorStatus[error.code] : 0;
  return status > 403 && status < 500;
}
