import * as v from 'valibot';
import { serviceNames } from '#contract/billing/prices.ts';

const LotParts = v.array(
  v.object({
    id: v.optional(v.number(), 0),
    source: v.picklist(['free', 'plan', 'purchase']),
    expiresAt: v.number(),
    amount: v.number(),
  }),
);

export const StoredCharge = v.object({
  requestId: v.string(),
  service: v.picklist(serviceNames),
  model: v.string(),
  price: v.exactOptional(v.string()),
  keyId: v.string(),
  budget: v.exactOptional(v.object({ id: v.string(), start: v.number() })),
  amount: v.number(),
  lots: LotParts,
  onResume: v.exactOptional(v.object({ cancellation: v.number(), lots: LotParts })),
  period: v.object({ anchor: v.number(), index: v.number() }),
});
