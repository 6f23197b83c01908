import type { Route } from '#contract/http/route.ts';
import { findModel } from '#contract/inference/models.ts';
import { errorStatus } from '#contract/shared/errors.ts';
import type { ModelUsage } from '#domain/inference/model-stream.ts';
import type { Order, Preparable } from '#domain/inference/order.ts';
import { StreamedResponse } from '#domain/inference/streamed-response.ts';
import { forbiddenToKey, forbiddenUse, graceSeconds, Unaffordable, type Use } from '#domain/meter/admission.ts';
import type { Meter, TokenCounts } from '#domain/meter/meter.ts';
import type { Metering, OpenHold } from '#domain/meter/metering.ts';
import { codeOfService } from '#domain/meter/pricing.ts';
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
import { ServiceError, unknownKey } from '#domain/shared/service-error.ts';
import type { JsonLiterals } from '#domain/shared/text.ts';
import type { Call, Caller, Middleware } from './call.ts';

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

/** Refusals with these statuses follow the 403 (docs/api.md#order-of-refusals). */
function isStateRefusal(error: unknown): boolean {
  const status = error instanceof ServiceError ? errorStatus[error.code] : 0;
  return status > 403 && status < 500;
}

const keyIdOf = (caller: Caller | undefined): string | undefined => (caller?.kind === 'key' ? caller.keyId : undefined);

function useOf(
  priced: NonNullable<Route['priced']>,
  { identity, order }: Pick<Call, 'identity' | 'order'>,
  model: string | undefined,
): Use {
  const { capability } = priced;
  const ofModel = capability && model !== undefined ? findModel(model, capability)?.minPlanRank : undefined;
  return {
    keyId: keyIdOf(identity?.caller),
    service: order?.service ?? priced.service,
    model,
    minPlanRank: priced.minPlanRank ?? ofModel ?? 1,
  };
}

export type FindMeter = (accountId: number) => Promise<Meter | undefined>;

interface UseLookups {
  /** Reads the meter if the proof did not, such as for a session. */
  readonly findMeter: FindMeter;
  readonly modelOf: ((call: Call) => Promise<string | undefined>) | undefined;
}

export type ForbiddenUses = ReturnType<typeof forbiddenUses>;

/** Predicts the 403 refusals of the admission for steps that precede it. */
export function forbiddenUses({ priced }: Route, { findMeter, modelOf }: UseLookups) {
  const nameModel = (call: Call): Promise<string | undefined> | string | undefined =>
    call.order?.model ?? ('namedModel' in call ? call.namedModel : modelOf?.(call));

  async function byKey(call: Call): Promise<ServiceError | undefined> {
    const { caller, meter } = call.identity ?? {};
    const key = meter?.keys.get(keyIdOf(caller) ?? '');
    if (!priced || !meter || !(key?.models || key?.services)) return undefined;
    const model = key.models && (await nameModel(call));
    return forbiddenToKey(meter, useOf(priced, call, model));
  }

  async function byPlanOrKey(call: Call): Promise<ServiceError | undefined> {
    const { identity } = call;
    if (!priced || !identity) return undefined;
    const read = identity.meter ?? findMeter(identity.caller.accountId);
    const [meter, model] = await Promise.all([read, nameModel(call)]);
    return meter && forbiddenUse(meter, useOf(priced, call, model));
  }

  function byKeyOfUsed(call: Call, { service, model }: UsedModel): ServiceError | undefined {
    const meter = call.identity?.meter;
    if (!priced || !meter) return undefined;
    return forbiddenToKey(meter, { ...useOf(priced, call, model), service });
  }

  return { byKey, byKeyForReplay: byKeyOfUsed, byPlanOrKey };
}

export interface Meters {
  readonly metering: Metering;
  readonly now: () => number;
  /** Reports a hold that could not be closed. It is settled when it expires (docs/adr/0012-lost-settlements.md). */
  readonly onLostSettlement: (error: unknown, lost: LostSettlement) => void;
  /** Reports a call whose cost exceeded its hold, because the model used more than requested. */
  readonly onExcess: (excess: Excess) => void;
}

export interface LostSettlement {
  readonly requestId: string;
  readonly model: string | undefined;
  readonly cost: number;
}

export interface Excess {
  readonly requestId: string;
  readonly model: string | undefined;
  readonly cost: number;
  readonly held: number;
}

/** Milliseconds after which a cancelled stream is settled, even if the client stops reading. */
const cancelGraceMs = 1000;

/** Remaining function time in ms at which a settlement is abandoned, so that it can still be reported. */
const reportMs = 1000;

/**
 * Admits a priced call before its operation and settles it after (docs/meter.md). `onError` also runs for
 * errors of earlier middlewares, so it acts only on the call's own hold. Only the end of the response waits for the
 * settlement.
 */
export function meter(route: Route, meters: () => Meters): Middleware {
  const { priced } = route;

  async function settle(
    by: Meters,
    call: Call,
    cost: number | Promise<number>,
    usage = () => call.response.usage,
  ): Promise<void> {
    const { now, onLostSettlement } = by;
    try {
      call.response.cost = capAtHold(by, call, await cost);
      const time = now();
      const patienceMs = call.startedAt + route.timeoutSeconds * 1000 - reportMs - time;
      await call.admission?.openHold.settle(
        call.response.cost,
        time,
        patienceMs,
        tokensOf(call.response.cost, usage()),
      );
    } catch (error) {
      onLostSettlement(error, { requestId: call.requestId, model: call.order?.model, cost: call.response.cost });
    }
  }

  /** Caps the charge at the hold (docs/credits.md#calls, C6). */
  function capAtHold({ onExcess }: Meters, { requestId, order, admission }: Call, cost: number): number {
    const held = admission?.openHold.held ?? 0;
    if (cost > held) onExcess({ requestId, model: order?.model, cost, held });
    return Math.min(cost, held);
  }

  return {
    before: async function admitCall({ context: { call } }) {
      if (!priced || !call.order) return;
      if (!call.identity) throw unknownKey();
      const { metering, now } = meters();
      const time = now();
      const { accountId } = call.identity.caller;
      const { model } = call.order;
      const deadline = Math.ceil(time / 1000) + route.timeoutSeconds + graceSeconds;
      const { requestId } = call;
      const attempt = {
        ...useOf(priced, call, call.order.model),
        accountId,
        requestId,
        model,
        now: time,
        deadline,
        isInLane: true,
      };
      const admit = (order: Order) => {
        if (order.call) runAfterSend(order.call, call.literals);
        const { price = codeOfService(attempt.service) } = order;
        // Larger amounts are inexact and cannot be stored. No balance covers them.
        const amount = Math.min(order.amount, Number.MAX_SAFE_INTEGER);
        return metering.admit({ ...attempt, amount, price, isStream: order.stream });
      };
      const openHold = await admit(call.order).catch(async (refusal: unknown) => {
        call.order = await reduceToBudget(call.order, refusal);
        return admit(call.order);
      });
      call.admission = { openHold };
      call.response.cost = call.order.amount;
      runAfterSend(openHold);
    },
    after: function settleCall({ context: { call }, response: result }) {
      const { admission, response } = call;
      if (!admission) return;
      const { openHold } = admission;
      admission.result = result;
      const by = meters();
      if (result instanceof StreamedResponse) {
        call.receipt = openHold.holding();
        response.settleBy(() => settle(by, call, result.cost(), () => result.usage));
        trackStream(result, openHold, () => {
          admission.isCancelled = true;
          result.cancel();
          setTimeout(() => void response.settle(), cancelGraceMs).unref();
        });
        return;
      }
      const cost = capAtHold(by, call, response.cost);
      call.receipt = openHold.receipt(cost);
      response.settleBy(() => settle(by, call, cost));
      void response.settle();
    },
    onError: async function releaseHold({ context: { call } }) {
      if (!call.admission) return;
      const by = meters();
      call.response.settleBy(() => settle(by, call, 0));
      await call.response.settle();
      call.receipt = call.admission.openHold.receipt(0);
    },
  };
}

/** Tokens of a charged call, for its ledger row. */
function tokensOf(cost: number, usage: ModelUsage | undefined): TokenCounts | undefined {
  if (cost === 0 || !usage) return undefined;
  const { prompt_tokens: input, completion_tokens: output, cached_tokens: cached = 0 } = usage;
  return { input, cached, output };
}

/** Runs `work` after the pending request has been sent, which takes up to two turns of the event loop. */
function runAfterSend(work: Preparable, literals?: JsonLiterals): void {
  setImmediate(prepareNextTurn, work, literals);
}

function prepareNextTurn(work: Preparable, literals?: JsonLiterals): void {
  setImmediate(prepare, work, literals);
}

function prepare(work: Preparable, literals?: JsonLiterals): void {
  try {
    work.prepare(literals);
  } catch {
    // The first use reports the same error.
  }
}

/** Reduces an order with an estimated price to the spendable credits, or rethrows the refusal. */
async function reduceToBudget(order: Order | undefined, refusal: unknown): Promise<Order> {
  if (!(refusal instanceof Unaffordable)) throw refusal;
  const smaller = await order?.within?.(refusal.spendable);
  if (smaller) return smaller;
  const fitting = await order?.affordableOutput?.(refusal.spendable);
  if (fitting) throw refusal.advising(`With max_tokens ${fitting} or less you can afford it.`);
  throw refusal;
}

/** Milliseconds between progress records of a stream (docs/adr/0012-lost-settlements.md). */
const progressIntervalMs = 2000;

/** Records the cost so far while a stream runs. The next record makes up for a failed one. */
export function trackStream(stream: Pick<StreamedResponse, 'cost'>, openHold: OpenHold, onCancelled: () => void): void {
  let isNoting = false;

  async function note(): Promise<void> {
    const cost = await stream.cost();
    if (!openHold.isOpen || (await openHold.recordProgress(cost)) || !openHold.isOpen) return;
    clearInterval(timer);
    onCancelled();
  }

  const timer = setInterval(() => {
    if (!openHold.isOpen) return clearInterval(timer);
    if (isNoting) return;
    isNoting = true;
    note()
      .catch(() => undefined)
      .finally(() => {
        isNoting = false;
      });
  }, progressIntervalMs);
  timer.unref();
}
