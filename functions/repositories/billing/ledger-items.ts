import * as v from 'valibot';
import { lotSource } from '#contract/billing/credits.ts';
import { changeKinds } from '#contract/billing/plans.ts';
import { serviceNames } from '#contract/billing/prices.ts';
import { isInstant } from '#contract/shared/fields.ts';
import type { LedgerAmounts, LedgerRow } from '#domain/billing/ledger.ts';

/** Sort keys of the `ledger` table order rows by `seq` and days by date. */
export const rowKey = (accountId: number, seq: number) => ({
  a: accountId,
  sk: `row#${String(seq).padStart(16, '0')}`,
});

export const archiveKey = (accountId: number) => ({ a: accountId, sk: 'archive' });

export const partKey = (accountId: number, first: number) => ({
  a: accountId,
  sk: `part#${String(first).padStart(16, '0')}`,
});

/** Reads the `seq` from the sort key, even for invalid rows; 0 for other items. */
export function seqOf(item: unknown): number {
  return Number(v.is(v.object({ sk: v.string() }), item) ? item.sk.slice('row#'.length) : 0);
}

/** Prefixes of daily totals: in full detail, over all keys, and over all services and models of a key. */
export const usagePrefixes = { detail: 'day#', kind: 'kind#', key: 'key#' } as const;

const Row = v.object({
  a: v.number(),
  seq: v.number(),
  type: v.picklist(['grant', 'charge', 'refund', 'expiry', 'adjustment']),
  at: v.pipe(
    v.number(),
    v.check((at) => isInstant(at * 1000)),
  ),
  amount: v.number(),
  balance: v.number(),
  service: v.exactOptional(v.picklist(serviceNames)),
  model: v.exactOptional(v.string()),
  price: v.exactOptional(v.string()),
  tokens: v.exactOptional(v.object({ input: v.number(), cached: v.number(), output: v.number() })),
  keyId: v.exactOptional(v.string()),
  requestId: v.exactOptional(v.string()),
  source: v.exactOptional(lotSource),
  job: v.exactOptional(
    v.object({ id: v.string(), status: v.string(), cost: v.number(), durationSeconds: v.exactOptional(v.number()) }),
  ),
  change: v.exactOptional(
    v.object({
      kind: v.picklist(changeKinds),
      plan: v.string(),
      effectiveAt: v.exactOptional(v.number()),
    }),
  ),
  payment: v.exactOptional(v.string()),
});

export const LedgerItem = v.pipe(
  Row,
  v.transform(({ a: accountId, ...row }): LedgerRow => ({ accountId, ...row })),
);

const Amounts = v.pick(Row, ['seq', 'amount', 'balance']);

export function amountsOf(item: unknown): LedgerAmounts {
  return v.parse(Amounts, item);
}
