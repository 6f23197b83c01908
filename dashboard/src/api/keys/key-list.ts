import * as v from 'valibot';
import { keyRoutes } from '#contract/routes/keys.ts';
import { limitPeriods } from '#contract/shared/limits.ts';

/** Empty where it cannot be read; null means never. */
const date = v.fallback(v.nullable(v.string()), '');

/** Null where there is none, or none that this page knows. */
const limit = v.fallback(
  v.nullable(
    v.object({
      credits: v.number(),
      period: v.picklist(limitPeriods),
      used: v.number(),
      resetsAt: v.nullable(v.string()),
    }),
  ),
  null,
);
const names = v.fallback(v.nullable(v.array(v.string())), null);

/**
 * A key as the page shows it. It takes what the contract does not promise: one row that cannot be read, or a status
 * this page does not know yet, must not take the other keys, and the way to revoke them, from the page.
 */
const KeyRecord = v.object({
  id: v.string(),
  name: v.fallback(v.pipe(v.string(), v.nonEmpty()), 'Unnamed key'),
  prefix: v.fallback(v.string(), ''),
  lastFour: v.fallback(v.string(), ''),
  status: v.fallback(v.string(), 'unreadable'),
  createdAt: date,
  expiresAt: date,
  lastUsedAt: date,
  limit,
  models: names,
  services: names,
});
export type KeyRecord = v.InferOutput<typeof KeyRecord>;

export const KeyRecords = v.array(KeyRecord);

/** The contract's route, read with more patience. */
export const listKeys = { ...keyRoutes.listKeys, output: KeyRecords };
