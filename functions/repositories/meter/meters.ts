import { type DynamoDBDocumentClient, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { serviceNames } from '#contract/billing/prices.ts';
import { tables } from '#contract/platform/resources.ts';
import {
  maxCounted,
  type MeterStore,
  type Progress,
  type ShardWork,
  type StreamCall,
  type SweepKind,
  type LedgerEntry,
  type Meter,
} from '#domain/meter/meter.ts';
import type { RefundWrite, WrittenRefund } from '#domain/meter/refund.ts';
import type { Random } from '#domain/shared/ports.ts';
import { conditionally } from '../shared/conditional.ts';
import { dueItems, dueQuery } from '../shared/due.ts';
import { failedItems, type TransactItem } from '../shared/transaction.ts';
import { budgetName } from './key-rows.ts';
import { laneStore } from './lanes.ts';
import { type MeterAccess, meterCalls } from './meter-calls.ts';
import { billingRow, meterOf, setAsideId, setAsideRow } from './meter-item.ts';
import { sdkMeter } from './sdk-meter.ts';
import { ending, progressOf } from './stream-progress.ts';

/** A retry after a lost response finds its own mark if at most three changes came between. */
const marksKept = 4;

export function meterStore(
  client: DynamoDBDocumentClient,
  tableName: string,
  random: Random,
  access: MeterAccess = sdkMeter(client),
): MeterStore {
  const key = (accountId: number) => ({ TableName: tableName, Key: { a: accountId } });
  const calls = meterCalls(tableName, access);
  const lanes = laneStore(client, tableName, random);

  async function replace(before: Meter, after: Meter, entries: readonly LedgerEntry[]): Promise<boolean> {
    const mark = Buffer.from(random.bytes(6)).toString('base64url');
    const marked = { ...after, marks: [mark, ...(before.marks ?? [])].slice(0, marksKept) };
    const write = client.send(
      new UpdateCommand({ TableName: tableName, ...meterReplacement(before, marked, entries) }),
    );
    const outcome = await conditionally(write);
    return 'done' in outcome || (outcome.met !== undefined && meterOf(outcome.met).marks?.includes(mark) === true);
  }

  async function endProgress(call: StreamCall): Promise<Progress> {
    const write = new UpdateCommand({ TableName: tableName, ...ending(call) });
    return progressOf((await client.send(write)).Attributes);
  }

  async function watchHolds(holder: Pick<Meter, 'accountId' | 'admitted'>, at: number | undefined): Promise<boolean> {
    const change =
      at === undefined
        ? {
            UpdateExpression: 'REMOVE hd, #last',
            ConditionExpression: 'n = :n',
            ExpressionAttributeValues: { ':n': holder.admitted },
          }
        : {
            UpdateExpression: 'SET hd = :at REMOVE #last',
            ConditionExpression: 'attribute_exists(a)',
            ExpressionAttributeValues: { ':at': at },
          };
    const names = { ExpressionAttributeNames: { '#last': 'last' } };
    return (
      'done' in (await conditionally(client.send(new UpdateCommand({ ...key(holder.accountId), ...change, ...names }))))
    );
  }

  const dueIndex = (index: keyof typeof tables.meters.indexes) => ({
    table: tableName,
    index,
    time: tables.meters.indexes[index].sortKey.name,
  });

  async function* accountsBy(
    index: keyof typeof tables.meters.indexes,
    now: number,
    among: readonly number[],
  ): AsyncGenerator<number> {
    for await (const { a } of dueItems(client, dueIndex(index), among, now)) if (typeof a === 'number') yield a;
  }

  async function workIn(kind: SweepKind, shard: number, now: number): Promise<ShardWork> {
    const index = dueIndex(kind === 'holds' ? 'holds' : 'due');
    const query = new QueryCommand({ ...dueQuery(index, shard, now), Limit: maxCounted });
    const { Items = [] } = await client.send(query);
    const since = Items[0]?.[index.time];
    return { shard, accounts: Items.length, since: typeof since === 'number' ? since : undefined };
  }

  return {
    ...calls,
    ...lanes,
    replace,
    endProgress,
    watchHolds,
    accountsDue: (now, among) => accountsBy('due', now, among),
    accountsWithOldHolds: (now, among) => accountsBy('holds', now, among),
    workIn,
  };
}

/**
 * Leaves keys and holds unchanged. Settlements and changes raise `seq`, admissions raise `n`, so an unchanged pair
 * proves that billing's input is current.
 */
export function meterReplacement(before: Meter, after: Meter, entries: readonly LedgerEntry[]) {
  const row = billingRow(after, entries);
  const fields = Object.entries(row);
  const cap = capChange(before, after);
  const removed = ['s', 't', 'qa', ...cap.removed].filter((name) => !(name in row));
  const names = [...Object.keys(row), ...removed];
  const removals = [...removed.map((name) => `#${name}`), ...cap.removals];
  return {
    Key: { a: before.accountId },
    UpdateExpression: `SET ${[...fields.map(([name]) => `#${name} = :${name}`), ...cap.settings].join(', ')}${removals.length > 0 ? ` REMOVE ${removals.join(', ')}` : ''}`,
    ConditionExpression: 'seq = :before AND n = :n',
    ExpressionAttributeNames: { ...Object.fromEntries(names.map((name) => [`#${name}`, name])), ...cap.names },
    ExpressionAttributeValues: {
      ...Object.fromEntries(fields.map(([name, value]) => [`:${name}`, value])),
      ...cap.values,
      ':before': before.seq,
      ':n': before.admitted,
    },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  } as const;
}

const unchanged = { settings: [], removals: [], removed: [], names: {}, values: {} };

/** Writes the credits that a spending cap sets aside, and `n` if the cap itself changes. */
function capChange(before: Meter, after: Meter) {
  const { cap } = after;
  if (!before.cap && !cap) return unchanged;
  const hold = 'h.#setAside';
  const isCounted = after.admitted !== before.admitted;
  return {
    settings: [...(cap ? [`${hold} = :setAside`] : []), ...(isCounted ? ['n = :admitted'] : [])],
    removals: cap ? [] : [hold],
    removed: ['cp'],
    names: { '#setAside': setAsideId },
    values: { ...(cap && { ':setAside': setAsideRow(after, cap) }), ...(isCounted && { ':admitted': after.admitted }) },
  };
}

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
