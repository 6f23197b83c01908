import type { Route } from '#contract/http/route.ts';
import type { Order, Preparable } from '#domain/inference/order.ts';
import { StreamedResponse } from '#domain/inference/streams/streamed-response.ts';
import { graceSeconds, Unaffordable } from '#domain/meter/admission/admission.ts';
import type { Metering } from '#domain/meter/metering.ts';
import { unknownKey } from '#domain/shared/unauthenticated.ts';
import type { Call, Middleware } from './call.ts';
import { useOf } from './request/forbidden-use.ts';
import { followStream } from './response/stream-progress.ts';

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
 * Admits a priced call before its operation and settles it after (docs/design/meter.md). Acts only on its own hold: it
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

  /** What may be charged: never more than was held (docs/design/reliability.md#charge-table-what-nothing-lost-means, C6). */
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
