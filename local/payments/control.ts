import type { IncomingMessage, ServerResponse } from 'node:http';
import * as v from 'valibot';
import { BodyTooLarge, readBody, sendJson } from '../shared/loopback.ts';
import { describeError } from '../shared/problems.ts';
import { OutcomeOrder } from './outcomes.ts';
import type { StripeServer } from './stripe.ts';
import { StripeProblem } from './wire/errors.ts';

const count = v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(10_000)), 1);

/**
 * A fault of the next `count` requests whose path starts with `path`, or of the next `count` events whose type starts
 * with `type`.
 */
export const StripeFault = v.variant('fault', [
  v.strictObject({
    fault: v.picklist(['lost_reply', 'rate_limit', 'error', 'conflict']),
    count,
    path: v.optional(v.string(), '/v1/'),
    method: v.exactOptional(v.picklist(['GET', 'POST', 'DELETE'])),
  }),
  v.strictObject({
    fault: v.literal('delay'),
    delayMs: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(120_000)),
    count,
    path: v.optional(v.string(), '/v1/'),
    method: v.exactOptional(v.picklist(['GET', 'POST', 'DELETE'])),
  }),
  v.strictObject({
    fault: v.picklist(['event_twice', 'event_dropped', 'events_reversed']),
    count,
    type: v.optional(v.string(), ''),
  }),
  /** Holds all events until they are released. */
  v.strictObject({ fault: v.literal('events_held') }),
]);
export type StripeFault = v.InferOutput<typeof StripeFault>;
type Order = v.InferInput<typeof StripeFault>;

type RequestFault = Extract<StripeFault, { path: string }>;
type EventFault = Extract<StripeFault, { type: string }>;

export interface StripeFaults {
  /** Adds a fault. Throws if it is invalid. */
  order(order: Order): void;
  /** Removes all faults. Held events stay held. */
  clear(): void;
  active(): readonly StripeFault[];
  /** Returns the fault for this request, and decrements its count. */
  takeForRequest(method: string, path: string): RequestFault | undefined;
  takeForEvent(type: string): EventFault['fault'] | undefined;
  /** Whether events are held. */
  holdsEvents(): boolean;
  release(): void;
}

export function createStripeFaults(): StripeFaults {
  let waiting: StripeFault[] = [];

  function take<F extends RequestFault | EventFault>(matches: (fault: StripeFault) => fault is F): F | undefined {
    const found = waiting.find(matches);
    if (!found) return undefined;
    waiting =
      found.count > 1
        ? waiting.map((fault) => (fault === found ? { ...found, count: found.count - 1 } : fault))
        : waiting.filter((fault) => fault !== found);
    return found;
  }

  return {
    order: (order) => void waiting.push(v.parse(StripeFault, order)),
    clear: () => void (waiting = waiting.filter(({ fault }) => fault === 'events_held')),
    active: () => waiting,
    takeForRequest: (method, path) =>
      take(
        (fault): fault is RequestFault =>
          'path' in fault && path.startsWith(fault.path) && (fault.method === undefined || fault.method === method),
      ),
    takeForEvent: (type) => take((fault): fault is EventFault => 'type' in fault && type.startsWith(fault.type))?.fault,
    holdsEvents: () => waiting.some(({ fault }) => fault === 'events_held'),
    release: () => void (waiting = waiting.filter(({ fault }) => fault !== 'events_held')),
  };
}

interface ControlOptions extends Pick<StripeServer, 'faults' | 'script' | 'advance'> {
  readonly log: (line: string) => void;
}

const maxOrderBytes = 64 * 1024;

/**
 * `POST /_control/faults` adds a fault, `DELETE` removes all, `POST /_control/events/release` releases held events,
 * `POST /_control/advance` runs overdue work, and `POST /_control/payments/{id}` makes an outcome happen.
 */
export function createControl({ faults, script, advance, log }: ControlOptions) {
  async function respond(request: IncomingMessage, path: string): Promise<object> {
    if (path === '/_control/faults' && request.method === 'DELETE') faults.clear();
    if (path === '/_control/faults' && request.method === 'POST')
      faults.order(v.parse(StripeFault, await bodyOf(request)));
    if (path === '/_control/faults') return { active: faults.active() };
    if (request.method !== 'POST')
      throw new StripeProblem(404, { type: 'invalid_request_error', message: 'Not found' });
    const id = /^\/_control\/payments\/([^/]+)$/.exec(path)?.[1];
    if (id !== undefined) await script(decodeURIComponent(id), v.parse(OutcomeOrder, await bodyOf(request)).outcome);
    else if (path === '/_control/events/release') {
      faults.release();
      await advance();
    } else if (path === '/_control/advance') await advance();
    else throw new StripeProblem(404, { type: 'invalid_request_error', message: `${path} does not exist.` });
    return { done: true };
  }

  return async (request: IncomingMessage, response: ServerResponse, path: string): Promise<void> => {
    try {
      sendJson(response, 200, await respond(request, path));
    } catch (error) {
      if (error instanceof StripeProblem) return sendJson(response, error.status, { error: error.message });
      if (v.isValiError(error) || error instanceof SyntaxError || error instanceof BodyTooLarge)
        return sendJson(response, 400, { error: error.message });
      log(describeError(error));
      sendJson(response, 500, { error: 'The request failed; see the terminal for the cause.' });
    }
  };
}

const bodyOf = async (request: IncomingMessage): Promise<unknown> =>
  JSON.parse((await readBody(request, maxOrderBytes)).toString());
