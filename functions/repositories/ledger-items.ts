import * as v from 'valibot';
import type { LedgerRow } from '#domain/ledger.ts';

/** Keys of the `ledger` table; sort keys order rows by `seq` and days by date. */
export const rowKey = (accountId: number, seq: number) => ({
  a: accountId,
  sk: `row#${String(seq).padStart(16, '0')}`,
});
export const dayPrefix = (date: string) => `day#${date}#`;

const Row = v.object({
  a: v.number(),
  seq: v.number(),
  type: v.picklist(['grant', 'charge', 'refund', 'expiry', 'adjustment']),
  at: v.number(),
  amount: v.number(),
  balance: v.number(),
  service: v.exactOptional(
    v.picklist(['translation', 'text_analysis', 'audio', 'voice_call', 'sms', 'chat', 'completion', 'embeddings']),
  ),
  model: v.exactOptional(v.string()),
  keyId: v.exactOptional(v.string()),
  requestId: v.exactOptional(v.string()),
});

export function ledgerRowOf(item: unknown): LedgerRow {
  const { a: accountId, ...row } = v.parse(Row, item);
  return { accountId, ...row };
}
