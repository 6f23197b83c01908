import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { serviceNames } from '#contract/billing/prices.ts';
import type { RefundWrite, WrittenRefund } from '#domain/meter/refund.ts';
import { failedItems, type TransactItem } from '../shared/transaction.ts';
import { budgetName } from './key-rows.ts';
import { meterReplacement } from './meters.ts';

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
  at: v.exactOptional(v.number()),
});

export async function writeRefund(
  client: DynamoDBDocumentClient,
  meters: string,
  { before, after, entries, budget }: RefundWrite,
  ...reasons: readonly TransactItem[]
): Promise<WrittenRefund> {
  const replacement = meterReplacement(before, after, entries);
  const Update = { TableName: meters, ...(budget ? withBudgetRefund(replacement, budget) : replacement) };
  const failed = await failedItems(client, [...reasons, { Update }]);
  if (failed.length === 0) return 'done';
  return failed.some((at) => at < reasons.length) ? 'changed' : 'meter changed';
}

/** Also returns credits to a key's budget, if its period has not changed. */
function withBudgetRefund(
  replacement: ReturnType<typeof meterReplacement>,
  { id, start, amount }: NonNullable<RefundWrite['budget']>,
) {
  return {
    ...replacement,
    UpdateExpression: replacement.UpdateExpression.replace('SET ', 'SET #budget.u = #budget.u - :budgetBack, '),
    ConditionExpression: `${replacement.ConditionExpression} AND #budget.s = :budgetStart AND #budget.u >= :budgetBack`,
    ExpressionAttributeNames: { ...replacement.ExpressionAttributeNames, '#budget': budgetName(id) },
    ExpressionAttributeValues: {
      ...replacement.ExpressionAttributeValues,
      ':budgetBack': amount,
      ':budgetStart': start,
    },
  };
}
