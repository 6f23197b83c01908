import type { Route } from '#contract/http/route.ts';
import { findModel } from '#contract/inference/models.ts';
import { errorStatus } from '#contract/shared/errors.ts';
import type { Order, Preparable } from '#domain/inference/order.ts';
import { StreamedResponse } from '#domain/inference/streamed-response.ts';
import { forbiddenToKey, forbiddenUse, graceSeconds, Unaffordable, type Use } from '#domain/meter/admission.ts';
import type { Meter } from '#domain/meter/meter.ts';
import type { Metering, OpenHold } from '#domain/meter/metering.ts';
import {
  type Claim,
  claimOf,
  type Idempotency,
  type IdempotencyRecord,
  isFinal,
  type KeptRefusal,
  type KeptResponse,
  type UsedModel,
} from '#domain/shared/idempotency.ts';
import { ServiceError, unknownKey } from '#domain/shared/service-error.ts';
import type { Call, Middleware } from './call.ts';

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

/** Whether a refusal comes after the 403 (docs/api.md#order-of-refusals). */
function isOfState(error: unknown): boolean {
  const status = error instanceof ServiceError ? errorStatus[error.code] : 0;
  return status > 403 && status < 500;
}

/** What a priced call uses, as far as it is known; of one without a model its name is empty. */
function useOf(
  priced: NonNullable<Route['priced']>,
  { caller, order }: Pick<Call, 'caller' | 'order'>,
  model: string | undefined,
): Use {
  const { capability } = priced;
  const ofModel = capability && model !== undefined ? findModel(model, capability)?.minPlanRank : undefined;
  return {
    keyId: caller?.kind === 'key' ? caller.keyId : undefined,
    service: order?.service ?? priced.service,
    model,
    minPlanRank: priced.minPlanRank ?? ofModel ?? 1,
  };
}

export type FindMeter = (accountId: number) => Promise<Meter | undefined>;

interface Findings {
  /** What a proof has not read, as of a session. */
  readonly findMeter: FindMeter;
  /** Of a call whose order is not made yet. */
  readonly modelOf: ((call: Call) => Promise<string | undefined>) | undefined;
}

export type ForbiddenUses = ReturnType<typeof forbiddenUses>;

/** What the admission would refuse (403), for what is decided before it. */
export function forbiddenUses({ priced }: Route, { findMeter, modelOf }: Findings) {
  const nameModel = (call: Call): Promise<string | undefined> | string | undefined =>
    call.order?.model ?? ('namedModel' in call ? call.namedModel : modelOf?.(call));

  /** By what the key is limited to; the key is proved. Of a key without limits nothing is read. */
  async function byKey(call: Call): Promise<ServiceError | undefined> {
    const { caller, provenMeter } = call;
    const key = caller?.kind === 'key' ? provenMeter?.keys.get(caller.keyId) : undefined;
    if (!priced || !provenMeter || !(key?.models || key?.services)) return undefined;
    const model = key.models && (await nameModel(call));
    return forbiddenToKey(provenMeter, useOf(priced, call, model));
  }

  async function byPlanOrKey(call: Call): Promise<ServiceError | undefined> {
    if (!priced || !call.caller) return undefined;
    const [meter, model] = await Promise.all([call.provenMeter ?? findMeter(call.caller.accountId), nameModel(call)]);
    return meter && forbiddenUse(meter, useOf(priced, call, model));
  }

  /** Checks the limits of a verified key for a stored response, by the service and model that produced it. */
  function byKeyOfUsed(call: Call, { service, model }: UsedModel): ServiceError | undefined {
    if (!priced || !call.provenMeter) return undefined;
    return forbiddenToKey(call.provenMeter, { ...useOf(priced, call, model), service });
  }

  return { byKey, byKeyOfUsed, byPlanOrKey };
}

export interface Meters {
  readonly metering: Metering;
  readonly now: () => number;
  /** Reports a hold that could not be closed: it expires, and is settled then (docs/adr/0012-lost-settlements.md). */
  readonly onLostSettlement: (error: unknown, lost: LostSettlement) => void;
  /** Reports a call that came to more than was held for it, as its model reports more than was requested. */
  readonly onExcess: (excess: Excess) => void;
}

/** `cost`: microcredits that the call came to, where that is known. */
export interface LostSettlement {
  readonly requestId: string;
  readonly model: string | undefined;
  readonly cost: number;
}

/** Microcredits that a call came to, and those that were held for it, which are charged. */
export interface Excess {
  readonly requestId: string;
  readonly model: string | undefined;
  readonly cost: number;
  readonly held: number;
}

/** Milliseconds that a cancelled stream has to send its last piece: then it is settled also where its reader takes no more. */
const lastPieceMs = 1000;

/** Milliseconds of a function's time that are left when it gives up a settlement: enough to report it and to end. */
const reportMs = 1000;

/**
 * Admits a priced call before its operation and settles it after (docs/meter.md). Acts only on its own hold: it
 * also runs for errors of middlewares before it, when there is none. The settlement runs beside the body and only the
 * response's end waits for it; that of a streamed response begins when all of it is generated.
 */
export function meter(route: Route, meters: () => Meters): Middleware {
  const { priced } = route;

  async function settle(by: Meters, call: Call, cost: number | Promise<number>): Promise<void> {
    const { now, onLostSettlement } = by;
    try {
      call.response.cost = capped(by, call, await cost);
      const time = now();
      const patienceMs = call.startedAt + route.timeoutSeconds * 1000 - reportMs - time;
      await call.openHold?.settle(call.response.cost, time, patienceMs);
    } catch (error) {
      onLostSettlement(error, { requestId: call.requestId, model: call.order?.model, cost: call.response.cost });
    }
  }

  /** What may be charged: never more than was held (docs/credits.md#calls). */
  function capped({ onExcess }: Meters, { requestId, order, openHold }: Call, cost: number): number {
    const held = openHold?.held ?? 0;
    if (cost > held) onExcess({ requestId, model: order?.model, cost, held });
    return Math.min(cost, held);
  }

  return {
    before: async function admitCall({ context: { call } }) {
      if (!priced || !call.order) return;
      if (!call.caller) throw unknownKey();
      const { metering, now } = meters();
      const time = now();
      const { accountId } = call.caller;
      const { model } = call.order;
      const deadline = Math.ceil(time / 1000) + route.timeoutSeconds + graceSeconds;
      const { requestId } = call;
      const attempt = { ...useOf(priced, call, call.order.model), accountId, requestId, model, now: time, deadline };
      const admit = (order: Order) => {
        if (order.call) meanwhile(order.call);
        return metering.admit({ ...attempt, amount: order.amount, isStream: order.stream });
      };
      call.openHold = await admit(call.order).catch(async (refusal: unknown) => {
        call.order = await affordable(call.order, refusal);
        return admit(call.order);
      });
      call.response.cost = call.order.amount;
      meanwhile(call.openHold);
    },
    after: function settleCall({ context: { call }, response: result }) {
      const { openHold, response } = call;
      if (!openHold) return;
      call.result = result;
      const by = meters();
      if (result instanceof StreamedResponse) {
        call.receipt = openHold.holding();
        response.settleBy(() => settle(by, call, result.cost()));
        followStream(result, openHold, () => {
          call.isCancelled = true;
          result.cancel();
          setTimeout(() => void response.settle(), lastPieceMs).unref();
        });
        return;
      }
      const cost = capped(by, call, response.cost);
      call.receipt = openHold.receipt(cost);
      response.settleBy(() => settle(by, call, cost));
      void response.settle();
    },
    onError: async function voidCall({ context: { call } }) {
      if (!call.openHold) return;
      const by = meters();
      call.response.settleBy(() => settle(by, call, 0));
      await call.response.settle();
      call.receipt = call.openHold.receipt(0);
    },
  };
}

/**
 * Prepares something when what goes on from here has been sent and is waited for: the admission, or the operation's call of its model.
 * A kept connection is looked at for one turn of the event loop before a request leaves over it, so this waits for two.
 */
function meanwhile(work: Preparable): void {
  setImmediate(prepareNextTurn, work);
}

function prepareNextTurn(work: Preparable): void {
  setImmediate(prepare, work);
}

function prepare(work: Preparable): void {
  try {
    work.prepare();
  } catch {
    // Nobody waits for it here; who needs it meets the same error.
  }
}

/** What can still be paid of an order whose price was a bound, or the refusal again. */
async function affordable(order: Order | undefined, refusal: unknown): Promise<Order> {
  if (!(refusal instanceof Unaffordable)) throw refusal;
  const smaller = await order?.within?.(refusal.spendable);
  if (!smaller) throw refusal;
  return smaller;
}

/** Milliseconds between two notes of what a stream has come to; one that ends sooner is noted nowhere (docs/adr/0012-lost-settlements.md). */
const noteEveryMs = 2000;

/**
 * While a stream runs, notes in its hold what it has come to. A note that fails is made good by the next; one that finds the
 * stream cancelled is the last.
 */
export function followStream(
  stream: Pick<StreamedResponse, 'cost'>,
  openHold: OpenHold,
  onCancelled: () => void,
): void {
  let isNoting = false;

  async function note(): Promise<void> {
    const cost = await stream.cost();
    if (!openHold.isOpen || (await openHold.noteDelivered(cost)) || !openHold.isOpen) return;
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
  }, noteEveryMs);
  timer.unref();
}
