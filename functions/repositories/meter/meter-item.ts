import * as v from 'valibot';
import { alertChannels, alertKinds } from '#contract/alerts/alert-kinds.ts';
import { changeKinds, type PlanTerms } from '#contract/billing/plans.ts';
import { serviceNames } from '#contract/billing/prices.ts';
import { planFeatures } from '#contract/offer/offer.ts';
import { meterShards } from '#contract/platform/resources.ts';
import { imageOf, type MeterImage } from '#domain/billing/ledger.ts';
import { callsInLanes, ownCalls } from '#domain/meter/lanes.ts';
import { affordable, capEnd, type SpendingCap } from '#domain/meter/limits.ts';
import type {
  Allowance,
  EndedJob,
  Hold,
  StoredAlerts,
  StoredRule,
  KeyEvent,
  LedgerEntry,
  Lot,
  Meter,
  Subscription,
  SubscriptionChange,
} from '#domain/meter/meter.ts';
import { count, isCount, isKeyRow, isPerKeyName, keyEventOf, KeyNote, keyOf, perKeyOf } from './key-rows.ts';

/**
 * Item of the `meters` table. Names are short, because every call reads and writes the item, which should stay near
 * one write unit (1 KB). Only repositories use them.
 *
 * Names: a account, p shard, seq, k keys, r plan rank, q concurrent calls, qa those with lanes, mc calls this month, ml
 * calls per month, fa free anchor, n admitted, m ceiling, b buckets, c spendable, h holds, g lots, gn lots granted, ec
 * ended cancellations, u used, pa period anchor, pi period index, fm free month, s subscription, t kept terms, x closed,
 * due, hd time of the next check of holds, last entries or key change, w marks of changes, al alerts, wh webhooks, tu
 * threshold of the automatic top-up, cp spending cap, ln leases of lanes (lane-item.ts).
 */

/** Bytes: without running calls, and per running call (docs/credits.md, "How large an account's item gets"). */
export const maxItemBytes = { atRest: 25 * 1024, perCall: 185 } as const;

export const service = v.picklist(serviceNames);

/**
 * A map whose names are data. Checked in one go: every call reads a map of 21 rate buckets, and a schema for each would
 * cost more than all other checks.
 */
export function dictionary<T>(isValue: (value: unknown) => value is T) {
  return v.pipe(
    v.custom<object>((value) => typeof value === 'object' && value !== null, 'must be a map'),
    v.transform((value): unknown => new Map(Object.entries(value))),
    v.custom<ReadonlyMap<string, T>>(
      (value) => value instanceof Map && value.values().every(isValue),
      'must be a map of one kind of value',
    ),
  );
}

/**
 * The fifth element is the key and, with a limit, its budget and period start in base 36. The sixth marks a stream.
 * Earlier versions recorded its cost there, a price of its model's own in the fourth, and its cancellation in a
 * seventh.
 */
const HoldRow = v.tuple([count, count, service, v.string(), v.string(), v.optional(count)]);
const isHoldRow = (value: unknown): value is v.InferOutput<typeof HoldRow> => v.is(HoldRow, value);

/** Lease of a lane: microcredits, last posted `seq`. */
const LeaseRow = v.tuple([count, count]);
const isLeaseRow = (value: unknown): value is v.InferOutput<typeof LeaseRow> => v.is(LeaseRow, value);

const lotSource = v.picklist(['free', 'plan', 'purchase']);

/** Source, granted, remaining, expiry, id. */
const LotRow = v.tuple([lotSource, count, count, count, v.optional(count)]);

export const Entry = v.object({
  t: v.picklist(['grant', 'charge', 'refund', 'expiry', 'adjustment']),
  at: count,
  v: count,
  s: v.optional(service),
  o: v.optional(v.string()),
  p: v.optional(v.string()),
  n: v.optional(v.tuple([count, count, count])),
  k: v.optional(v.string()),
  r: v.optional(v.string()),
  l: v.optional(lotSource),
  j: v.optional(v.object({ i: v.string(), s: v.string(), c: count, d: v.exactOptional(v.number()) })),
  c: v.optional(v.tuple([v.picklist(changeKinds), v.string(), v.optional(count)])),
  y: v.optional(v.string()),
});

/**
 * USD cents, credits per month, calls per month and minute, concurrent calls, initials of features. Null: unlimited.
 */
const TermsRow = v.tuple([
  v.nullable(count),
  v.nullable(count),
  v.nullable(count),
  v.nullable(count),
  count,
  v.string(),
]);

const Subscribed = v.object({
  id: v.string(),
  planId: v.string(),
  status: v.picklist(['active', 'cancelled']),
  replacedAt: v.exactOptional(count),
  pending: v.exactOptional(v.object({ planId: v.string(), planRank: count, t: v.exactOptional(TermsRow) })),
  endsAt: v.exactOptional(count),
  creditsExpireAt: v.exactOptional(count),
  cancellation: v.exactOptional(v.object({ seq: count, lots: v.array(LotRow) })),
  paidUntil: v.exactOptional(count),
  unpaidSince: v.exactOptional(count),
});

/** Limit, start of the month, and credits that the cap would allow beyond c. */
const CapRow = v.tuple([count, count, count]);

/**
 * The hold of an account with a spending cap. It sets aside the credits above the cap, so that c is what calls may use:
 * an admission needs no rule for the cap, and earlier versions read the right balance and return the credits to c when
 * the month ends. No request has this id (docs/adr/0041-spending-cap.md).
 */
export const setAsideId = '~cap';

/**
 * r rules as kind, value, key (or empty) and family of a rotated key; c channels; p percentages of the spending cap.
 */
const AlertsRow = v.object({
  r: v.array(v.tuple([v.picklist(alertKinds), count, v.string(), v.optional(v.string())])),
  c: v.array(v.picklist(alertChannels)),
  p: v.exactOptional(v.array(count)),
});
type AlertsRow = v.InferOutput<typeof AlertsRow>;

const Item = v.object({
  a: count,
  seq: count,
  k: dictionary(isKeyRow),
  r: count,
  n: count,
  m: count,
  b: dictionary(isCount),
  c: count,
  h: dictionary(isHoldRow),
  g: v.array(LotRow),
  gn: v.optional(count, 0),
  ec: v.exactOptional(v.array(count)),
  u: v.record(service, count),
  pa: count,
  pi: count,
  fa: count,
  fm: v.optional(count, -1),
  ml: count,
  mc: count,
  q: count,
  qa: v.exactOptional(count),
  s: v.exactOptional(Subscribed),
  t: v.exactOptional(TermsRow),
  x: v.exactOptional(v.picklist(['suspended', 'deleted'])),
  due: count,
  w: v.exactOptional(v.array(v.string())),
  al: v.exactOptional(AlertsRow),
  wh: v.exactOptional(v.set(v.string())),
  tu: v.exactOptional(count),
  cp: v.exactOptional(CapRow),
  ln: v.exactOptional(dictionary(isLeaseRow)),
});

const AllowanceItem = v.pick(Item, ['a', 'n', 'm', 'b', 'c', 'due', 'ln']);

const allowanceNames = new Set(Object.keys(AllowanceItem.entries));

/** The attributes that `allowanceOf` reads. */
export const allowanceProjection = { has: (name: string) => allowanceNames.has(name) || isPerKeyName(name) };

export function allowanceOf(row: unknown): Allowance {
  const { a, n, m, b, c, due, ln } = v.parse(AllowanceItem, row);
  const lanes = ln && { lanes: leasesOf(ln) };
  return { accountId: a, admitted: n, ceiling: m, buckets: b, spendable: c, due, ...perKeyOf(row), ...lanes };
}

/** The number of a lane is negative, so that scans of accounts exclude it. */
export const laneName = (lane: number): string => (-lane).toString(36);

const leasesOf = (rows: ReadonlyMap<string, v.InferOutput<typeof LeaseRow>>): NonNullable<Meter['lanes']> =>
  new Map(rows.entries().map(([name, [amount, posted]]) => [-Number.parseInt(name, 36), { amount, posted }]));

/** The attribute q: includes the hold of a spending cap. */
export const storedOwnCalls = (meter: Pick<Meter, 'maxConcurrentCalls' | 'cap' | 'lanes'>): number =>
  ownCalls(meter) + (meter.cap ? 1 : 0);

/** The attribute qa, which is stored only if q and the lanes do not add up to it. */
const allCalls = ({ maxConcurrentCalls }: Pick<Meter, 'maxConcurrentCalls'>) =>
  maxConcurrentCalls > ownCalls({ maxConcurrentCalls }) ? { qa: maxConcurrentCalls } : {};

export function meterOf(row: unknown): Meter {
  const { cp, ...item } = v.parse(Item, row);
  const { cap, setAside } = cp ? capOf(cp, item) : noCap;
  const lanes = item.ln && { lanes: leasesOf(item.ln) };
  const holds = cap ? item.h.entries().filter(([id]) => id !== setAsideId) : item.h.entries();
  return {
    accountId: item.a,
    seq: item.seq,
    ...(item.x && { closed: item.x }),
    ...(item.wh && { webhooks: item.wh }),
    keys: new Map(item.k.entries().map(([id, key]) => [id, keyOf(key)])),
    ...perKeyOf(row),
    ...(cap && { cap }),
    planRank: item.r,
    maxConcurrentCalls: item.qa ?? item.q - (cap ? 1 : 0) + callsInLanes({ ...lanes }),
    ...lanes,
    callsPerMonth: item.ml,
    callsThisMonth: item.mc,
    admitted: item.n,
    ceiling: item.m,
    buckets: item.b,
    spendable: item.c + setAside,
    holds: new Map(holds.map(([id, hold]) => [id, holdOf(hold)])),
    lots: item.g.map(lotOf),
    lotsGranted: item.gn,
    ...(item.ec !== undefined && { endedCancellations: item.ec }),
    used: item.u,
    period: { anchor: item.pa, index: item.pi },
    freeAnchor: item.fa,
    freeMonth: item.fm,
    ...(item.s && { subscription: subscriptionOf(item.s) }),
    ...(item.t && { terms: termsOf(item.t) }),
    due: cap ? Math.min(item.due, capEnd(cap)) : item.due,
    ...(item.w && { marks: item.w }),
    ...(item.al && { alerts: alertsOf(item.al) }),
    ...(item.tu !== undefined && { topUpBelow: item.tu }),
  };
}

export function newMeterRow(meter: Meter, entries: readonly LedgerEntry[]): Record<string, unknown> {
  return {
    a: meter.accountId,
    k: {},
    h: meter.cap ? { [setAsideId]: setAsideRow(meter, meter.cap) } : {},
    n: meter.admitted,
    ...billingRow(meter, entries),
  };
}

const noCap = { cap: undefined, setAside: 0 };

function capOf(
  [limit, start, above]: v.InferOutput<typeof CapRow>,
  { c, h }: Pick<v.InferOutput<typeof Item>, 'c' | 'h'>,
) {
  const [setAside = 0] = h.get(setAsideId) ?? [];
  return { cap: { limit, start, used: limit - above - c }, setAside };
}

const capRow = (meter: Meter, { limit, start, used }: SpendingCap) => [limit, start, limit - used - usableOf(meter)];

/** An item cannot set aside more than the largest integer, which only unlimited plans reach. */
const usableOf = (meter: Meter): number => Math.max(affordable(meter), meter.spendable - Number.MAX_SAFE_INTEGER);

export const setAsideRow = (meter: Meter, cap: SpendingCap): unknown[] =>
  holdRow({
    amount: meter.spendable - usableOf(meter),
    deadline: capEnd(cap),
    service: 'completion',
    model: '',
    keyId: '',
  });

export function billingRow(meter: Meter, entries: readonly LedgerEntry[]): Record<string, unknown> {
  return {
    // Written with every billing change, so that accounts move to their new shard when the number of shards is raised.
    p: meter.accountId % meterShards,
    seq: meter.seq,
    r: meter.planRank,
    q: storedOwnCalls(meter),
    ...allCalls(meter),
    ml: meter.callsPerMonth,
    mc: meter.callsThisMonth,
    m: meter.ceiling,
    b: Object.fromEntries(meter.buckets),
    c: usableOf(meter),
    g: meter.lots.map(lotRow),
    gn: meter.lotsGranted,
    ...(meter.endedCancellations && { ec: [...meter.endedCancellations] }),
    u: meter.used,
    pa: meter.period.anchor,
    pi: meter.period.index,
    fa: meter.freeAnchor,
    fm: meter.freeMonth,
    ...(meter.subscription && { s: subscriptionRow(meter.subscription) }),
    ...(meter.terms && { t: termsRow(meter.terms) }),
    due: meter.due,
    ...(meter.marks && { w: meter.marks }),
    ...(meter.cap && { cp: capRow(meter, meter.cap) }),
    last: entries.map(entryRow),
  };
}

const lotRow = ({ source, granted, remaining, expiresAt, id }: Lot) => [source, granted, remaining, expiresAt, id];

/** Rows of earlier versions have no id. Negative ids cannot collide with later lots. */
function lotOf([source, granted, remaining, expiresAt, id]: v.InferOutput<typeof LotRow>, index: number): Lot {
  return { id: id ?? -1 - index, source, granted, remaining, expiresAt };
}

function subscriptionRow({ cancellation, pending, ...subscription }: Subscription) {
  return {
    ...subscription,
    ...(pending && { pending: pendingRow(pending) }),
    ...(cancellation && { cancellation: { ...cancellation, lots: cancellation.lots.map(lotRow) } }),
  };
}

const pendingRow = ({ terms, ...plan }: NonNullable<Subscription['pending']>) => ({
  ...plan,
  ...(terms && { t: termsRow(terms) }),
});

function subscriptionOf({ cancellation, pending, ...subscription }: v.InferOutput<typeof Subscribed>): Subscription {
  return {
    ...subscription,
    ...(pending && { pending: pendingOf(pending) }),
    ...(cancellation && { cancellation: { ...cancellation, lots: cancellation.lots.map(lotOf) } }),
  };
}

const pendingOf = ({ t, ...plan }: NonNullable<v.InferOutput<typeof Subscribed>['pending']>) => ({
  ...plan,
  ...(t && { terms: termsOf(t) }),
});

function termsRow(terms: PlanTerms): v.InferOutput<typeof TermsRow> {
  const { price, creditsPerMonth, callsPerMonth, callsPerMinute, maxConcurrentCalls, features } = terms;
  const cents = price === null ? null : Math.round(price * 100);
  const initials = features.map((feature) => feature.charAt(0)).join('');
  return [cents, creditsPerMonth, callsPerMonth, callsPerMinute, maxConcurrentCalls, initials];
}

function termsOf([cents, creditsPerMonth, callsPerMonth, callsPerMinute, maxConcurrentCalls, initials]: v.InferOutput<
  typeof TermsRow
>): PlanTerms {
  const features = planFeatures.filter((feature) => initials.includes(feature.charAt(0)));
  const price = cents === null ? null : cents / 100;
  return { price, creditsPerMonth, callsPerMonth, callsPerMinute, maxConcurrentCalls, features };
}

export function holdRow(hold: Hold): unknown[] {
  const { amount, deadline, service, model, keyId, delivered, budget } = hold;
  const key = budget ? `${keyId} ${budget.id} ${budget.start.toString(36)}` : keyId;
  return [amount, deadline, service, model, key, ...(delivered === undefined ? [] : [delivered])];
}

export function entryRow(entry: LedgerEntry): Record<string, unknown> {
  return {
    t: entry.type,
    at: entry.at,
    v: entry.amount,
    ...(entry.service && { s: entry.service }),
    ...(entry.model && { o: entry.model }),
    ...(entry.price !== undefined && { p: entry.price }),
    ...(entry.tokens && { n: [entry.tokens.input, entry.tokens.cached, entry.tokens.output] }),
    ...(entry.keyId && { k: entry.keyId }),
    ...(entry.requestId && { r: entry.requestId }),
    ...(entry.source && { l: entry.source }),
    ...(entry.job && { j: jobRow(entry.job) }),
    ...(entry.change && { c: changeRow(entry.change) }),
    ...(entry.payment !== undefined && { y: entry.payment }),
  };
}

const changeRow = ({ kind, plan, effectiveAt }: SubscriptionChange) => [
  kind,
  plan,
  ...(effectiveAt === undefined ? [] : [effectiveAt]),
];

const jobRow = ({ id, status, cost, durationSeconds }: EndedJob) => ({
  i: id,
  s: status,
  c: cost,
  ...(durationSeconds !== undefined && { d: durationSeconds }),
});

export function meterImageOf(image: unknown): MeterImage {
  const { last } = v.parse(v.object({ last: v.array(Entry) }), image);
  return imageOf(meterOf(image), last.map(entryOf));
}

/** Returns the entries or the key change of the write that produced an image; most writes have neither. */
export function lastOf(image: unknown): { entries: readonly LedgerEntry[]; keyEvent?: KeyEvent } {
  const { last = [] } = v.parse(v.object({ last: v.optional(v.union([v.array(Entry), KeyNote])) }), image);
  return Array.isArray(last) ? { entries: last.map(entryOf) } : { entries: [], keyEvent: keyEventOf(last) };
}

export function entryOf(row: v.InferOutput<typeof Entry>): LedgerEntry {
  return {
    type: row.t,
    at: row.at,
    amount: row.v,
    ...(row.s && { service: row.s }),
    ...(row.o && { model: row.o }),
    ...(row.p !== undefined && { price: row.p }),
    ...(row.n && { tokens: { input: row.n[0], cached: row.n[1], output: row.n[2] } }),
    ...(row.k && { keyId: row.k }),
    ...(row.r && { requestId: row.r }),
    ...(row.l && { source: row.l }),
    ...(row.j && { job: endedJob(row.j) }),
    ...(row.c && { change: changeOf(row.c) }),
    ...(row.y !== undefined && { payment: row.y }),
  };
}

function endedJob({ i, s, c, d }: NonNullable<v.InferOutput<typeof Entry>['j']>): EndedJob {
  return { id: i, status: s, cost: c, ...(d !== undefined && { durationSeconds: d }) };
}

function changeOf([kind, plan, effectiveAt]: NonNullable<v.InferOutput<typeof Entry>['c']>): SubscriptionChange {
  return { kind, plan, ...(effectiveAt !== undefined && { effectiveAt }) };
}

function holdOf([amount, deadline, service, priced, key, delivered]: v.InferOutput<typeof HoldRow>): Hold {
  const [model = '', price] = priced.split(' ');
  const [keyId = '', id, start] = key.split(' ');
  return {
    amount,
    deadline,
    service,
    model,
    ...(price !== undefined && { price }),
    keyId,
    ...(delivered !== undefined && { delivered }),
    ...(id !== undefined && start !== undefined && { budget: { id, start: Number.parseInt(start, 36) } }),
  };
}

/** Rules about the spending cap are stored apart, because earlier versions cannot read their kind. */
export function alertsRow({ rules, channels }: StoredAlerts): Record<string, unknown> {
  const ofCap = rules.flatMap(({ kind, value }) => (kind === 'cap_percent' ? [value] : []));
  const others = rules.filter((rule) => rule.kind !== 'cap_percent');
  return { r: others.map(ruleRow), c: channels, ...(ofCap.length > 0 && { p: ofCap }) };
}

function ruleRow(rule: StoredRule): unknown[] {
  const { kind, value, family } = rule;
  const keyId = kind === 'key_percent' ? (rule.keyId ?? '') : '';
  return [kind, value, keyId, ...(family === undefined ? [] : [family])];
}

function alertsOf({ r, c, p = [] }: AlertsRow): StoredAlerts {
  const rules = r.map(([kind, value, keyId, family]) => {
    return { kind, value, ...(keyId !== '' && { keyId }), ...(family !== undefined && { family }) };
  });
  return { rules: [...rules, ...p.map((value) => ({ kind: 'cap_percent', value }) as const)], channels: c };
}
