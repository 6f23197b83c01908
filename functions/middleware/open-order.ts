import type { Order } from '#domain/inference/order.ts';
import type { Call, Middleware } from './call.ts';

/** Makes or completes the order of a call by what it names, and refuses (404, 409) where that does not allow it. Writes nothing. */
export type OpenOrder = (call: Call) => Promise<Order>;

/**
 * Looks at what a priced call names before it is admitted, and after a repeat of it is replayed. Whoever does not hold the key must not
 * learn of it, so a refusal awaits the proof.
 */
export function openOrder(open: OpenOrder): Middleware {
  return {
    before: async function openOrderOfCall({ context: { call } }) {
      if (call.replay) return;
      try {
        call.order = await open(call);
      } catch (error) {
        await call.prove?.();
        throw error;
      }
    },
  };
}
