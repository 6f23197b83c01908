import type { Route } from '#contract/http/route.ts';
import { StreamedResponse } from '#domain/inference/streams/streamed-response.ts';
import { graceSeconds } from '#domain/meter/admission/admission.ts';
import {
  claimOf,
  type Idempotency,
  type IdempotencyRecord,
  type Claim,
  isFinal,
  type KeptRefusal,
  type KeptResponse,
  type UsedModel,
} from '#domain/shared/idempotency.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import type { Call, Middleware } from './call.ts';
import type { ForbiddenUses } from './request/forbidden-use.ts';

export interface Idempotent {
  readonly records: Idempotency;
  /** Reports a claim that could not be ended to the operators; it expires, and until then a repeat is refused. */
  readonly onLostRecord: (error: unknown) => void;
}

/**
 * Runs a request with an Idempotency-Key once, and sends its response to the repeats. Two middlewares around the meter:
 * `claim` before it, so that a repeat is neither admitted nor counted, and `keep` after it, so that the response is
 * stored before the call is charged: a crash between the two may cost us the charge, never the caller a second one.
 */
export function idempotency(
  route: Route,
  idempotent: () => Idempotent,
  forbidden: ForbiddenUses,
): { claim: Middleware; keep: Middleware } {
  const lifetimeMs = (route.timeoutSeconds + graceSeconds) * 1000;

  /**
   * Only an admitted call has executed anything before it is refused. Any other refusal changed nothing, and a retry
   * may succeed.
   */
  function finalRefusal(error: unknown, call: Call): KeptRefusal | undefined {
    if (!call.openHold || !(error instanceof ServiceError) || !isFinal(error.code)) return undefined;
    return { code: error.code, detail: error.message };
  }

  /** Sent again also where the plan no longer allows what was charged. */
  async function keptFor(call: Call, record: IdempotencyRecord, claim: Claim): Promise<KeptResponse> {
    // The agent in the path may now use another model, or be deleted.
    const isSame = record.fingerprint === claim.fingerprint;
    const refusal = isSame && record.used ? forbidden.byKeyOfUsed(call, record.used) : undefined;
    if (refusal) throw refusal;
    try {
      return idempotent().records.responseFor(claim, record, lifetimeMs);
    } catch (error) {
      throw (await forbidden.byPlanOrKey(call)) ?? error;
    }
  }

  function usedBy({ order }: Call): UsedModel | undefined {
    if (!route.priced || !order) return undefined;
    return { service: order.service ?? route.priced.service, model: order.model };
  }

  function replay(call: Call, kept: KeptResponse, requestId: string): void {
    call.replayOf = requestId;
    if (route.priced) call.receipt = { charged: 0 };
    if ('code' in kept) throw new ServiceError(kept.code, kept.detail);
    call.replay = kept;
    delete call.order;
  }

  return {
    claim: {
      before: async function claimKey({ context: { call } }) {
        const { caller, idempotencyKey: key, input, requestId } = call;
        if (!caller || key === undefined) return;
        // Whoever does not hold the key must neither take what its owner sends nor learn of it.
        await call.prove?.();
        // Nor may a key that is limited to other services or models.
        const refusal = await forbidden.byKey(call);
        if (refusal) throw refusal;
        const claim = claimOf({ accountId: caller.accountId, routeId: route.id, key, requestId, input });
        const { records } = idempotent();
        call.claim = claim;
        const earlier = await records.claim(claim, lifetimeMs);
        if (!earlier) {
          // Admission limits priced requests.
          if (!route.priced) await records.countUnpriced(caller.accountId);
          return;
        }
        delete call.claim;
        replay(call, await keptFor(call, earlier, claim), earlier.requestId);
      },
      onError: async function endClaim({ error, context: { call } }) {
        if (!call.claim) return;
        const { records, onLostRecord } = idempotent();
        const refusal = finalRefusal(error, call);
        try {
          await (refusal ? records.keep(call.claim, refusal, usedBy(call)) : records.release(call.claim));
        } catch (lost) {
          onLostRecord(lost);
        }
      },
    },
    keep: {
      after: async function keepResponse({ response, context: { call } }) {
        if (!call.claim) return;
        const isStream = response instanceof StreamedResponse;
        if (isStream) await response.begun();
        const kept = isStream ? undefined : { ...route.success, data: response ?? null };
        try {
          await idempotent().records.keep(call.claim, kept, usedBy(call));
        } catch (error) {
          if (isStream) response.cancel();
          throw error;
        }
      },
    },
  };
}
