import * as v from 'valibot';
import { serviceNames } from '#contract/billing/prices.ts';

/** A charge, as an item keeps it that it was made for. */
export const StoredCharge = v.object({
  requestId: v.string(),
  service: v.picklist(serviceNames),
  model: v.string(),
  keyId: v.string(),
  budget: v.exactOptional(v.object({ id: v.string(), start: v.number() })),
  amount: v.number(),
  lots: v.array(
    v.object({ source: v.picklist(['free', 'plan', 'purchase']), expiresAt: v.number(), amount: v.number() }),
  ),
  period: v.object({ anchor: v.number(), index: v.number() }),
});
