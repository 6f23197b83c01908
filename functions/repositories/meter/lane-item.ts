import * as v from 'valibot';
import type { Lane } from '#domain/meter/lanes.ts';
import type { LaneImage, Hold } from '#domain/meter/meter.ts';
import { count } from './key-rows.ts';
import { factsOf, referenceTo } from './lane-calls.ts';
import { dictionary, Entry, entryOf, service } from './meter-item.ts';

/**
 * A lane's item in the table `meters` (docs/adr/0039-holds-of-one-account.md): a its number, p shard of its account, hd
 * next visit of the sweep, ac account, e time from which it admits no call, f facts that holds share. The other
 * attributes are as in an account's item, so that a settlement is the same write. seq counts the lane's own charges.
 */

/** Amount, deadline, facts or a reference to them, and 0 for a stream. */
const HoldRow = v.tuple([count, count, v.string(), v.optional(count)]);
const isHoldRow = (value: unknown): value is v.InferOutput<typeof HoldRow> => v.is(HoldRow, value);
const isText = (value: unknown): value is string => typeof value === 'string';

const LaneItem = v.object({
  a: count,
  ac: count,
  c: count,
  e: count,
  f: dictionary(isText),
  h: dictionary(isHoldRow),
  n: count,
  seq: count,
});

export function laneOf(row: unknown): Lane {
  const { a, ac, c, e, f, h, n, seq } = v.parse(LaneItem, row);
  const holds = new Map(h.entries().map(([id, hold]) => [id, holdOf(hold, f)]));
  return { id: a, accountId: ac, seq, admitted: n, spendable: c, until: e, holds, facts: [...f.keys()] };
}

function holdOf(
  [amount, deadline, reference, delivered]: v.InferOutput<typeof HoldRow>,
  facts: ReadonlyMap<string, string>,
): Hold {
  const [name, model = '', keyId = ''] = (facts.get(reference) ?? reference).split(' ');
  const isStream = delivered !== undefined && { delivered };
  return { amount, deadline, service: v.parse(service, name), model, keyId, ...isStream };
}

/** References that no hold of the lane uses. */
export function unusedFacts(row: Lane): string[] {
  const used = new Set(row.holds.values().map((hold) => referenceTo(factsOf(hold))));
  return row.facts.filter((reference) => !used.has(reference));
}

export const newLaneRow = (shard: number, accountId: number, lane: { c: number; e: number; hd: number }) => ({
  p: shard,
  ac: accountId,
  f: {},
  h: {},
  n: 0,
  mc: 0,
  seq: 0,
  u: {},
  ...lane,
});

export function laneImageOf(image: unknown): LaneImage {
  const { a, ac, seq, last } = v.parse(v.object({ a: count, ac: count, seq: count, last: v.tuple([Entry]) }), image);
  return { lane: a, accountId: ac, seq, entry: entryOf(last[0]) };
}
