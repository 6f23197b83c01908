import * as v from 'valibot';

/** Outcomes that a script can set for a payment. Imports nothing of payments, because services without them load it. */
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

export const OutcomeOrder = v.strictObject({ outcome: v.picklist(outcomes) });
