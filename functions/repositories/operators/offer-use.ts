import { type DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import type { Offer } from '#contract/offer/offer.ts';
import { agentKey } from '../agents/agent-items.ts';
import { accountsOnly } from '../meter/stream-progress.ts';

/** Names that the offer lacks, with the number of accounts, keys and agents that have them. */
export interface OfferGaps {
  readonly plans: ReadonlyMap<string, number>;
  readonly keys: ReadonlyMap<string, number>;
  readonly agents: ReadonlyMap<string, number>;
  /** False if the signal ended the search. */
  readonly isComplete: boolean;
}

export interface OfferUseTables {
  readonly meters: string;
  readonly agents: string;
}

const segments = 4;

const MeterRow = v.object({
  r: v.number(),
  s: v.optional(
    v.object({
      planId: v.string(),
      status: v.string(),
      pending: v.optional(v.object({ planId: v.string(), planRank: v.number() })),
    }),
  ),
  k: v.record(v.string(), v.unknown()),
  x: v.optional(v.string()),
});
const LimitedKey = v.object({ o: v.array(v.string()) });
const AgentRow = v.object({ model: v.string() });

/** Scans both tables in parallel segments, eventually consistent: half a read unit per 4 KB. */
export async function offerGaps(
  client: DynamoDBDocumentClient,
  tables: OfferUseTables,
  { plans, models }: Offer,
  signal: AbortSignal,
): Promise<OfferGaps> {
  const [lackedPlans, lackedByKeys, lackedByAgents] = [counter(), counter(), counter()];
  const known = new Set(models.flatMap(({ id, aliases }) => [id, ...aliases]));

  function readMeter(row: unknown): void {
    const { r, s, k, x } = v.parse(MeterRow, row);
    if (x === 'deleted') return;
    const lacked = new Set([
      ...(plans.some(({ id }) => id === r) ? [] : [s?.planId ?? `number ${r}`]),
      ...(s?.status === 'active' ? namesLacked(s.planId, r) : []),
      ...(s?.pending ? namesLacked(s.pending.planId, s.pending.planRank) : []),
    ]);
    lacked.forEach(lackedPlans.add);
    for (const key of Object.values(k)) {
      if (v.is(LimitedKey, key)) key.o.filter((model) => !known.has(model)).forEach(lackedByKeys.add);
    }
  }

  /** A plan is found by its name and its number, which a change of the order must not move to another plan. */
  const namesLacked = (planId: string, rank: number): string[] =>
    plans.some(({ id, name }) => id === rank && [name, String(id)].includes(planId)) ? [] : [planId];

  function readAgent(row: unknown): void {
    const { model } = v.parse(AgentRow, row);
    if (!known.has(model)) lackedByAgents.add(model);
  }

  async function scan(table: object, read: (row: unknown) => void, Segment: number): Promise<void> {
    const input = { TableName: '', ...table, Segment, TotalSegments: segments };
    for await (const { Items = [] } of paginateScan({ client }, input)) {
      Items.forEach(read);
      if (signal.aborted) return;
    }
  }

  const meters = { TableName: tables.meters, ...accountsOnly, ProjectionExpression: 'r, s, k, x' };
  const { pk, sk } = agentKey({ accountId: 0, id: '' });
  const agents = {
    TableName: tables.agents,
    ProjectionExpression: '#model',
    FilterExpression: 'begins_with(pk, :account) AND begins_with(sk, :agent)',
    ExpressionAttributeNames: { '#model': 'model' },
    ExpressionAttributeValues: { ':account': pk.slice(0, -1), ':agent': sk },
  };
  const all = Array.from({ length: segments }, (_, segment) => [
    scan(meters, readMeter, segment),
    scan(agents, readAgent, segment),
  ]);
  await Promise.all(all.flat());
  return {
    plans: lackedPlans.counts,
    keys: lackedByKeys.counts,
    agents: lackedByAgents.counts,
    isComplete: !signal.aborted,
  };
}

function counter() {
  const counts = new Map<string, number>();
  return { counts, add: (name: string) => void counts.set(name, (counts.get(name) ?? 0) + 1) };
}
