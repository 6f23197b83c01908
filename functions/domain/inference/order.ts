import type { ServiceName } from '#contract/billing/prices.ts';

/** What a priced call will do, known before it is admitted: `amount` (microcredits) is the most it can cost. */
export interface Order {
  /** Empty of a call without a model. */
  readonly model: string;
  /** What it is charged as, where that depends on the request. */
  readonly service?: ServiceName;
  readonly amount: number;
  /** Whether the response is streamed. */
  readonly stream?: boolean;
  /** The call of the model, where it can be made ready while the admission is waited for. */
  readonly call?: Preparable;
  /** Where `amount` is a bound: the order at no more than a budget (microcredits); undefined if there is none. */
  readonly within?: (budget: number) => Promise<Order | undefined>;
}

export interface Preparable {
  /** Does what can be done before it is needed, in a moment that nobody waits for. What it throws is thrown again when it is needed. */
  prepare(): void;
}
