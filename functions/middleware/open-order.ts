import { errorStatus } from '#contract/shared/errors.ts';
import type { Order } from '#domain/inference/order.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import type { Call, Middleware } from './call.ts';
import type { ForbiddenUses } from './request/forbidden-use.ts';

/** Makes or completes the order of a call by what it names, and refuses (404, 409) where that does not allow it. Takes nothing of the account. */
export type OpenOrder = (call: Call) => Promise<Order>;

/**
 * Looks at what a priced call names before it is admitted, and after a repeat of it is replayed. Whoever does not hold the key must not
 * learn of it, so a refusal awaits the proof; and a use that the plan or the key does not allow is refused (403) as such, not by the state
 * of what is named, once the model is known.
 */
export function openOrder(open: OpenOrder, forbidden: ForbiddenUses): Middleware {
  return {
    before: async function openOrderOfCall({ context: { call } }) {
      if (call.replay) return;
      try {
        call.order = await open(call);
      } catch (error) {
        await call.prove?.();
        throw (isOfState(error) ? await forbidden.byPlanOrKey(call) : undefined) ?? error;
      }
    },
  };
}

/** Whether a refusal comes after the 403 (docs/design/http.md#order-whole). */
function isOfState(error: unknown): boolean {
  const status = error instanceof ServiceError ? errorStatus[error.code] : 0;
  return status > 403 && status < 500;
}
