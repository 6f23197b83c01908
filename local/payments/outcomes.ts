/** What can be made to happen to a payment. Imports nothing, because services without payments load it. */
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
