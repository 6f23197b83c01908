import type { Route } from '#contract/http/route.ts';
import { errorStatus } from '#contract/shared/errors.ts';
import type { Order } from '#domain/inference/order.ts';
import { otherUse } from '#domain/meter/admission.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import type { Call, Middleware } from './call.ts';

/** Makes or completes the order of a call by what it names, and refuses (404, 409) where that does not allow it. Writes nothing. */
export type OpenOrder = (call: Call) => Promise<Order>;

/**
 * Looks at what a priced call names before it is admitted, and after a repeat of it is replayed. Whoever does not hold the key must not
 * learn of it, so a refusal awaits the proof; and a key of other services is refused (403) as such, not by the state of what is named.
 */
export function openOrder({ priced }: Route, open: OpenOrder): Middleware {
  return {
    before: async function openOrderOfCall({ context: { call } }) {
      if (call.replay) return;
      try {
        call.order = await open(call);
      } catch (error) {
        await call.prove?.();
        if (priced && isOfState(error)) {
          const forbidden = otherUse(call.provenKey, { service: priced.service, model: call.order?.model });
          if (forbidden) throw forbidden;
        }
        throw error;
      }
    },
  };
}

/** Whether a refusal comes after the 403 (docs/design/http.md#order-whole). */
function isOfState(error: unknown): boolean {
  const status = error instanceof ServiceError ? errorStatus[error.code] : 0;
  return status > 403 && status < 500;
}
