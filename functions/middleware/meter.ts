import type { Route } from '#contract/http/route.ts';
import type { ModelUsage } from '#domain/inference/model-stream.ts';
import type { Order, Preparable } from '#domain/inference/order.ts';
import { StreamedResponse } from '#domain/inference/streamed-response.ts';
import { graceSeconds, Unaffordable } from '#domain/meter/admission.ts';
import type { TokenCounts } from '#domain/meter/meter.ts';
import type { Metering, OpenHold } from '#domain/meter/metering.ts';
import { codeOfService } from '#domain/meter/pricing.ts';
import { unknownKey } from '#domain/shared/service-error.ts';
import type { JsonLiterals } from '#domain/shared/text.ts';
import type { Call, Middleware } from './call.ts';
import { useOf } from './forbidden-uses.ts';

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
        isInLane: !priced.settlesItself,
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
