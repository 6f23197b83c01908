import type { Route } from '#contract/http/route.ts';
import { StreamedResponse } from '#domain/inference/streamed-response.ts';
import { graceSeconds } from '#domain/meter/admission.ts';
import {
  type Claim,
  claimOf,
  type Idempotency,
  type IdempotencyRecord,
  isFinal,
  type RecordedRefusal,
  type RecordedResponse,
  type UsedModel,
} from '#domain/shared/idempotency.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import type { Call, Middleware } from './call.ts';
import type { ForbiddenUses } from './forbidden-uses.ts';

export interface Idempotent {
  readonly records: Idempotency;
  /** Reports a claim that could not be finished. Repeats are refused until the claim expires. */
  readonly onLostRecord: (error: unknown) => void;
}

/**
 * Runs a request with an Idempotency-Key once and replays its response. `claim` precedes the meter, so that repeats
 * are not counted. `store` follows it but precedes the charge, so that a crash never charges the caller twice.
 */
export function idempotencyMiddlewares(
  route: Route,
  idempotent: () => Idempotent,
  forbidden: ForbiddenUses,
): { claim: Middleware; store: Middleware } {
  const lifetimeMs = (route.timeoutSeconds + graceSeconds) * 1000;

  function finalRefusal(error: unknown, call: Call): RecordedRefusal | undefined {
    if (!call.admission || !(error instanceof ServiceError) || !isFinal(error.code)) return undefined;
    return { code: error.code, detail: error.message };
  }

  async function responseToReplay(call: Call, record: IdempotencyRecord, claim: Claim): Promise<RecordedResponse> {
    // Uses the recorded model: the agent in the path may have changed or been deleted.
    const isSame = record.fingerprint === claim.fingerprint;
    const refusal = isSame && record.used ? forbidden.byKeyForReplay(call, record.used) : undefined;
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

  function replay(call: Call, key: string, kept: RecordedResponse, of: string): void {
    call.idempotency = { key, replay: { of } };
    if (route.priced) call.receipt = { charged: 0 };
    if ('code' in kept) throw new ServiceError(kept.code, kept.detail);
    call.idempotency.replay = { of, response: kept };
    delete call.order;
  }

  return {
    claim: {
      before: async function claimKey({ context: { call } }) {
        const { identity, idempotency, input, requestId } = call;
        if (!identity || !idempotency) return;
        const { accountId } = identity.caller;
        const { key } = idempotency;
        // Verified first: an invalid key must not replace the owner's request or reveal its response.
        await identity.prove?.();
        const refusal = await forbidden.byKey(call);
        if (refusal) throw refusal;
        const claim = claimOf({ accountId, routeId: route.id, key, requestId, input });
        const { records } = idempotent();
        idempotency.claim = claim;
        const earlier = await records.claim(claim, lifetimeMs);
        if (!earlier) {
          if (!route.priced) await records.countUnpriced(accountId);
          return;
        }
        delete idempotency.claim;
        replay(call, key, await responseToReplay(call, earlier, claim), earlier.requestId);
      },
      onError: async function endClaim({ error, context: { call } }) {
        const claim = call.idempotency?.claim;
        if (!claim) return;
        const { records, onLostRecord } = idempotent();
        const refusal = finalRefusal(error, call);
        try {
          await (refusal ? records.storeResponse(claim, refusal, usedBy(call)) : records.release(claim));
        } catch (lost) {
          onLostRecord(lost);
        }
      },
    },
    store: {
      after: async function storeResponse({ response, context: { call } }) {
        const claim = call.idempotency?.claim;
        if (!claim) return;
        const isStream = response instanceof StreamedResponse;
        if (isStream) await response.begun();
        const kept = isStream ? undefined : { ...route.success, data: response ?? null };
        try {
          await idempotent().records.storeResponse(claim, kept, usedBy(call));
        } catch (error) {
          if (isStream) response.cancel();
          throw error;
        }
      },
    },
  };
}
