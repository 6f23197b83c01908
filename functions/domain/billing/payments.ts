/** A line of an invoice to be: `amount` in USD. */
export interface InvoiceLine {
  readonly subscriptionId: string;
  readonly plan: string;
  readonly amount: number;
}

/**
 * Whoever takes the money. What is due is computed already: the price of a month, and the prorated difference of an
 * upgrade. An adapter may refuse by throwing a ServiceError before anything is granted.
 */
export interface Payments {
  begin(accountId: number, line: InvoiceLine): Promise<void>;
  prorate(accountId: number, line: InvoiceLine): Promise<void>;
  end(accountId: number, subscriptionId: string): Promise<void>;
  /** A subscription that was ended is billed again from its next billing date on. */
  resume(accountId: number, subscriptionId: string): Promise<void>;
}

/** No payments: plans are granted immediately, and nobody is charged money. */
export const noPayments: Payments = {
  begin: async () => undefined,
  prorate: async () => undefined,
  end: async () => undefined,
  resume: async () => undefined,
};
