/** Outcomes that a script can set for a payment. No imports, because services without payments load this module. */
export const outcomes = [
  'paid',
  'failed',
  'processing',
  'expired',
  'refunded',
  'refund_failed',
  'disputed',
  'inquiry',
  'fraud_warning',
  'won',
  'lost',
  'action_required',
] as const;
export type Outcome = (typeof outcomes)[number];
