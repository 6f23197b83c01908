export interface InvoiceLine {
  readonly subscriptionId: string;
  readonly plan: string;
  readonly amount: number;
}

/** The payment provider. Amounts are already prorated. An adapter can refuse before anything is granted. */
export interface Payments {
  begin(accountId: number, line: InvoiceLine): Promise<void>;
  prorate(accountId: number, line: InvoiceLine): Promise<void>;
  end(accountId: number, subscriptionId: string): Promise<void>;
  resume(accountId: number, subscriptionId: string): Promise<void>;
}

/** Grants plans immediately, without payments. */
export const noPayments: Payments = {
  begin: async () => undefined,
  prorate: async () => undefined,
  end: async () => undefined,
  resume: async () => undefined,
};
