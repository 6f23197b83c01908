import type { Route } from '#contract/http/route.ts';
import { findModel } from '#contract/inference/models.ts';
import { errorStatus } from '#contract/shared/errors.ts';
import type { Order } from '#domain/inference/order.ts';
import { forbiddenUse } from '#domain/meter/admission/admission.ts';
import type { Meter } from '#domain/meter/meter.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import type { Call, Middleware } from './call.ts';

/** Makes or completes the order of a call by what it names, and refuses (404, 409) where that does not allow it. Takes nothing of the account. */
export type OpenOrder = (call: Call) => Promise<Order>;

/**
 * Looks at what a priced call names before it is admitted, and after a repeat of it is replayed. Whoever does not hold the key must not
 * learn of it, so a refusal awaits the proof; and a use that the plan or the key does not allow is refused (403) as such, not by the state
 * of what is named, once the model is known. What a proof has not read, as of a session, takes a read.
 */
export function openOrder(
  { priced }: Route,
  open: OpenOrder,
  findMeter: (accountId: number) => Promise<Meter | undefined>,
): Middleware {
  async function forbidden({ caller, order, namedModel, provenMeter }: Call): Promise<ServiceError | undefined> {
    if (!priced || !caller) return undefined;
    const meter = provenMeter ?? (await findMeter(caller.accountId));
    const model = order?.model ?? namedModel;
    const { capability } = priced;
    const minPlanRank = (capability && model !== undefined && findModel(model, capability)?.minPlanRank) || 1;
    const keyId = caller.kind === 'key' ? caller.keyId : undefined;
    return meter && forbiddenUse(meter, { keyId, service: priced.service, model, minPlanRank });
  }

  return {
    before: async function openOrderOfCall({ context: { call } }) {
      if (call.replay) return;
      try {
        call.order = await open(call);
      } catch (error) {
        await call.prove?.();
        throw (isOfState(error) ? await forbidden(call) : undefined) ?? error;
      }
    },
  };
}

/** Whether a refusal comes after the 403 (docs/design/http.md#order-whole). */
function isOfState(error: unknown): boolean {
  const status = error instanceof ServiceError ? errorStatus[error.code] : 0;
  return status > 403 && status < 500;
}
