import * as v from 'valibot';
import { limitPeriods } from '#contract/accounts/limit-periods.ts';
import { serviceNames } from '#contract/billing/prices.ts';
import type { StoredKey } from '#domain/keys/key-record.ts';
import { apiKeyKey, storedInstant } from '../accounts/account-items.ts';

const Row = v.object({
  id: v.string(),
  name: v.string(),
  prefix: v.string(),
  lastFour: v.string(),
  status: v.picklist(['active', 'suspended', 'revoked']),
  createdAt: storedInstant,
  suspendedByOperator: v.exactOptional(v.literal(true)),
  expiresAt: v.exactOptional(storedInstant),
  lastUsedAt: v.exactOptional(storedInstant),
  limit: v.exactOptional(v.object({ credits: v.number(), period: v.picklist(limitPeriods) })),
  budget: v.exactOptional(v.string()),
  models: v.exactOptional(v.array(v.string())),
  services: v.exactOptional(v.array(v.picklist(serviceNames))),
  revision: v.number(),
});

/** What can be read of an item that is no `Row`; its sort key always can. */
const text = v.fallback(v.string(), '');
const instant = v.fallback(v.optional(storedInstant), undefined);
const Remains = v.object({
  sk: v.string(),
  name: text,
  prefix: text,
  lastFour: text,
  status: v.fallback(v.picklist(['revoked', 'unreadable']), 'unreadable'),
  createdAt: instant,
  expiresAt: instant,
  lastUsedAt: instant,
});

/** A stored key, as much of it as can be read. */
export function storedKeyOf(item: unknown): StoredKey {
  const { success, output } = v.safeParse(Row, item);
  if (success) return output;
  const { sk, createdAt, expiresAt, lastUsedAt, ...remains } = v.parse(Remains, item);
  return {
    ...remains,
    id: sk.slice(apiKeyKey(0, '').sk.length),
    ...(createdAt !== undefined && { createdAt }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(lastUsedAt !== undefined && { lastUsedAt }),
    revision: undefined,
  };
}
