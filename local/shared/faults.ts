import * as v from 'valibot';

const count = v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(10_000)), 1);

/** Body of `POST /_local/faults` (docs/design/local.md): the next `count` requests to `target` fail; `none` clears. */
export const FaultOrder = v.variant('target', [
  v.object({
    target: v.literal('sagemaker'),
    fault: v.picklist(['error', 'throttle', 'unavailable', 'hang', 'cut', 'none']),
    count,
  }),
  v.object({ target: v.literal('ses'), fault: v.picklist(['reject', 'throttle', 'unavailable', 'none']), count }),
  v.object({
    target: v.literal('dynamodb'),
    fault: v.picklist(['throttle', 'lost-reply', 'unavailable', 'none']),
    count,
  }),
]);
export type FaultOrder = v.InferOutput<typeof FaultOrder>;

export type Target = FaultOrder['target'];
export type FaultOf<T extends Target> = Exclude<Extract<FaultOrder, { target: T }>['fault'], 'none'>;

/** Pending faults, at most one kind per target; a new order for a target replaces the old one. */
export interface Faults {
  order(order: FaultOrder): void;
  /** The fault that the request at hand must suffer, which uses up one count; undefined when none is ordered. */
  take<T extends Target>(target: T): FaultOf<T> | undefined;
  /** What is still to come, with the counts left. */
  active(): FaultOrder[];
}

export function createFaults(): Faults {
  const slots: { readonly [T in Target]: Slot<T> } = {
    sagemaker: slot('sagemaker'),
    ses: slot('ses'),
    dynamodb: slot('dynamodb'),
  };
  return {
    order(order) {
      switch (order.target) {
        case 'sagemaker':
          return slots.sagemaker.put(order.fault, order.count);
        case 'ses':
          return slots.ses.put(order.fault, order.count);
        case 'dynamodb':
          return slots.dynamodb.put(order.fault, order.count);
      }
    },
    take: (target) => slots[target].take(),
    active: () => [...slots.sagemaker.left(), ...slots.ses.left(), ...slots.dynamodb.left()],
  };
}

interface Slot<T extends Target> {
  put(fault: FaultOf<T> | 'none', count: number): void;
  take(): FaultOf<T> | undefined;
  left(): { target: T; fault: FaultOf<T>; count: number }[];
}

function slot<T extends Target>(target: T): Slot<T> {
  let waiting: { fault: FaultOf<T>; count: number } | undefined;
  return {
    put(fault, count) {
      waiting = fault === 'none' ? undefined : { fault, count };
    },
    take() {
      const fault = waiting?.fault;
      if (waiting) waiting = waiting.count > 1 ? { ...waiting, count: waiting.count - 1 } : undefined;
      return fault;
    },
    left: () => (waiting ? [{ target, ...waiting }] : []),
  };
}
