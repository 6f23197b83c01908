import * as v from 'valibot';

const count = v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(10_000)), 1);

const rate = v.exactOptional(v.pipe(v.number(), v.gtValue(0), v.maxValue(1)));

/** Name of an endpoint of SageMaker, or id of a model of Bedrock. Default: all. */
const endpoint = v.exactOptional(v.pipe(v.string(), v.minLength(1), v.maxLength(300)));

const ofModels = v.picklist(['error', 'throttle', 'unavailable', 'hang', 'cut', 'none']);

/**
 * Body of `POST /_local/faults` (docs/architecture.md#on-one-machine). The next `count` requests to `target` fail. With
 * a `rate` (up to 1), each request fails with that probability until `count` have failed. `none` clears.
 */
export const FaultOrder = v.variant('target', [
  v.object({ target: v.literal('sagemaker'), fault: ofModels, endpoint, count, rate }),
  v.object({ target: v.literal('bedrock'), fault: ofModels, endpoint, count, rate }),
  v.object({ target: v.literal('ses'), fault: v.picklist(['reject', 'throttle', 'unavailable', 'none']), count, rate }),
  v.object({
    target: v.literal('dynamodb'),
    fault: v.picklist(['throttle', 'lost-reply', 'unavailable', 'conflict', 'none']),
    count,
    rate,
  }),
  v.object({ target: v.literal('s3'), fault: v.picklist(['unavailable', 'none']), count, rate }),
  v.object({
    target: v.literal('messages'),
    fault: v.picklist(['throttle', 'lost-reply', 'unavailable', 'none']),
    count,
    rate,
  }),
]);
export type FaultOrder = v.InferOutput<typeof FaultOrder>;

export type Target = FaultOrder['target'];
export type FaultOf<T extends Target> = Exclude<Extract<FaultOrder, { target: T }>['fault'], 'none'>;

/** Pending faults, at most one order per target and endpoint. A new order replaces it. */
export interface Faults {
  order(order: FaultOrder): void;
  /**
   * Returns the fault of the current request and uses up one count. Undefined if none is ordered, the rate spares the
   * request, or it cannot suffer the fault. An order for the endpoint takes precedence over one for all.
   */
  take<T extends Target>(
    target: T,
    isApplicable?: (fault: FaultOf<T>) => boolean,
    endpoint?: string,
  ): FaultOf<T> | undefined;
  active(): FaultOrder[];
  isOrdered(target: Target): boolean;
}

/** `random` returns values in [0, 1). */
export function createFaults(random: () => number = Math.random): Faults {
  const slots: { readonly [T in Target]: Slot<T> } = {
    sagemaker: slot('sagemaker', random),
    bedrock: slot('bedrock', random),
    ses: slot('ses', random),
    dynamodb: slot('dynamodb', random),
    s3: slot('s3', random),
    messages: slot('messages', random),
  };
  return {
    order(order) {
      switch (order.target) {
        case 'sagemaker':
          return slots.sagemaker.put(order.fault, order);
        case 'bedrock':
          return slots.bedrock.put(order.fault, order);
        case 'ses':
          return slots.ses.put(order.fault, order);
        case 'dynamodb':
          return slots.dynamodb.put(order.fault, order);
        case 's3':
          return slots.s3.put(order.fault, order);
        case 'messages':
          return slots.messages.put(order.fault, order);
      }
    },
    isOrdered: (target) => slots[target].isOrdered(),
    take: (target, isApplicable, endpoint) => slots[target].take(isApplicable, endpoint),
    active: () => [
      ...slots.sagemaker.left(),
      ...slots.bedrock.left(),
      ...slots.ses.left(),
      ...slots.dynamodb.left(),
      ...slots.s3.left(),
      ...slots.messages.left(),
    ],
  };
}

type Extent = Pick<FaultOrder, 'count' | 'rate'> & { readonly endpoint?: string };

interface Slot<T extends Target> {
  put(fault: FaultOf<T> | 'none', extent: Extent): void;
  take(isApplicable?: (fault: FaultOf<T>) => boolean, endpoint?: string): FaultOf<T> | undefined;
  left(): ({ target: T; fault: FaultOf<T> } & Extent)[];
  isOrdered(): boolean;
}

function slot<T extends Target>(target: T, random: () => number): Slot<T> {
  /** By endpoint; empty for all. */
  const orders = new Map<string, { fault: FaultOf<T> } & Extent>();
  return {
    put(fault, { count, rate, endpoint }) {
      const order = { count, ...(rate !== undefined && { rate }), ...(endpoint !== undefined && { endpoint }) };
      if (fault === 'none') orders.delete(endpoint ?? '');
      else orders.set(endpoint ?? '', { fault, ...order });
    },
    take(isApplicable = () => true, endpoint = '') {
      const order = orders.get(endpoint) ?? orders.get('');
      if (!order || !isApplicable(order.fault)) return undefined;
      const { fault, count, rate = 1 } = order;
      if (random() >= rate) return undefined;
      if (count > 1) orders.set(order.endpoint ?? '', { ...order, count: count - 1 });
      else orders.delete(order.endpoint ?? '');
      return fault;
    },
    isOrdered: () => orders.size > 0,
    left: () => [...orders.values()].map((order) => ({ target, ...order })),
  };
}
