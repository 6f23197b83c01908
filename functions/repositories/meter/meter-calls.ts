import type { GetCommandInput, UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { retryConflicts } from '#aws/conflicts.ts';
import { type Attempt, budgetOf, graceSeconds } from '#domain/meter/admission.ts';
import type {
  Admission,
  ChargeSettlement,
  MeterStore,
  Settlement,
  Hold,
  LedgerEntry,
  Meter,
} from '#domain/meter/meter.ts';
import { bucketsInWindow } from '#domain/meter/rate-window.ts';
import { conditionally } from '../shared/conditional.ts';
import { budgetName, budgetRow } from './key-rows.ts';
import { allowanceOf, entryRow, holdRow, meterOf } from './meter-item.ts';
import { recording } from './stream-progress.ts';

type Item = Record<string, unknown>;

export interface MeterAccess {
  /** Resolves after the write to a function that parses the updated item. */
  readonly update: (input: UpdateCommandInput) => Promise<() => Item | undefined>;
  readonly read: (input: GetCommandInput) => Promise<Item | undefined>;
}

/** After it the sweep releases the hold at its deadline. */
const releasePatienceMs = 500;

/** The requests of a call, usually two writes. Separate from the store, so that a call loads nothing else. */
export function meterCalls(
  tableName: string,
  { update, read }: MeterAccess,
): Pick<MeterStore, 'find' | 'admit' | 'admitInLane' | 'releaseInLane' | 'recordProgress' | 'settle'> {
  const key = (accountId: number) => ({ TableName: tableName, Key: { a: accountId } });

  async function find(accountId: number): Promise<Meter | undefined> {
    const item = await read({ ...key(accountId), ConsistentRead: true });
    return item && meterOf(item);
  }

  async function admit(attempt: Attempt): Promise<Admission> {
    const outcome = await conditionally(update({ ...key(attempt.accountId), ...admission(attempt) }));
    if ('done' in outcome) return { isDone: true, meter: () => allowanceOf(outcome.done()) };
    return { isDone: false, meter: () => outcome.met && meterOf(outcome.met) };
  }

  async function settle(settlement: Settlement, patienceMs = 0): Promise<boolean> {
    const close = (write: UpdateCommandInput) => conditionally(retryConflicts(() => update(write), { patienceMs }));
    const to = key(settlement.accountId);
    const input = { ...to, ...closing(settlement) };
    const { budget } = settlement.hold;
    if (!budget) return 'done' in (await close(input));
    const outcome = await close(withBudgetReturn(input, budget));
    return 'done' in outcome || (isOpenIn(outcome.met, settlement) && 'done' in (await close(input)));
  }

  async function recordProgress(...given: Parameters<MeterStore['recordProgress']>): Promise<boolean> {
    return 'done' in (await conditionally(update({ TableName: tableName, ...recording(...given) })));
  }

  const laneWrites = () => import('./lane-calls.ts');

  async function admitInLane(lane: number, attempt: Attempt): Promise<boolean> {
    const { isHeldIn, lacksRoomForFacts, laneAdmission } = await laneWrites();
    for (const hasOwnFacts of [false, true]) {
      const outcome = await conditionally(update({ ...key(lane), ...laneAdmission(attempt, hasOwnFacts) }));
      if ('done' in outcome || isHeldIn(outcome.met, attempt.requestId)) return true;
      if (!lacksRoomForFacts(outcome.met, attempt)) return false;
    }
    return false;
  }

  async function releaseInLane(lane: number, attempt: Attempt): Promise<void> {
    const { laneRelease } = await laneWrites();
    const release = { ...key(lane), ...laneRelease(attempt) };
    await conditionally(retryConflicts(() => update(release), { patienceMs: releasePatienceMs }));
  }

  return { find, admit, admitInLane, releaseInLane, recordProgress, settle };
}

/** Settles a hold in full. Requires an unchanged meter, so that two charges never name the same credits. */
export function closingOf(TableName: string, { seq, ...settlement }: ChargeSettlement) {
  const write = closing(settlement);
  return {
    Update: {
      TableName,
      Key: { a: settlement.accountId },
      ...write,
      ConditionExpression: `${write.ConditionExpression} AND seq = :seq`,
      ExpressionAttributeValues: { ...write.ExpressionAttributeValues, ':seq': seq },
    },
  };
}

/** Placeholders of the window's buckets, newest first. The same in every call. */
const bucketNames = bucketsInWindow(0).map((_, age) => `#b${age}`);
const withinRate = bucketNames.map((name) => `(attribute_not_exists(b.${name}) OR n < b.${name})`).join(' AND ');

const rules = {
  isNew: 'attribute_not_exists(h.#request)',
  isOpen: 'attribute_not_exists(x)',
  nothingDue: 'due > :now',
  planReaches: 'r >= :rank',
  withinConcurrentCalls: 'size(h) < q',
  creditsReach: 'c >= :amount',
  withinMonth: 'mc < ml',
  withinRate,
};
const mayCall = Object.values(rules).join(' AND ');
const mayCallWithKey = `k.#key > :now AND ${mayCall}`;
const withModel = '(attribute_not_exists(k.#key.o) OR contains(k.#key.o, :model))';
const mayCallWithLimitedKey = `k.#key.x > :now AND (attribute_not_exists(k.#key.s) OR contains(k.#key.s, :service)) AND ${mayCall}`;

let cachedNames: { readonly buckets: readonly string[]; readonly names: Record<string, string> } | undefined;

function windowNames(buckets: readonly string[]): Record<string, string> {
  if (cachedNames?.buckets !== buckets) {
    cachedNames = { buckets, names: Object.fromEntries(buckets.map((bucket, age) => [bucketNames[age], bucket])) };
  }
  return cachedNames.names;
}

/**
 * Holds the credits and counts the call if every rule holds (docs/meter.md#admit, docs/meter.md#rate).
 * The first hold check precedes the earliest expiry of a hold (docs/adr/0002-holds-watch.md).
 */
function admission(attempt: Attempt) {
  const seconds = Math.floor(attempt.now / 1000);
  const names = windowNames(bucketsInWindow(attempt.now));
  const key = attempt.keyId !== undefined && { '#key': attempt.keyId };
  const limited = limitedKey(attempt);
  const budget = budgetOf(attempt);
  const delivered = attempt.isStream && { delivered: 0 };
  return {
    UpdateExpression:
      'SET h.#request = :hold, c = c - :amount, n = n + :one, mc = mc + :one, m = m + :one, b.#b0 = if_not_exists(b.#b0, m), ' +
      `hd = if_not_exists(hd, :watch)${limited?.set ?? ''} REMOVE #last`,
    ConditionExpression: limited?.condition ?? (key ? mayCallWithKey : mayCall),
    ExpressionAttributeNames: { ...names, '#request': attempt.requestId, '#last': 'last', ...key, ...limited?.names },
    ExpressionAttributeValues: {
      ':hold': holdRow({ ...attempt, keyId: attempt.keyId ?? '', ...delivered, ...(budget && { budget }) }),
      ':amount': attempt.amount,
      ':one': 1,
      ':now': seconds,
      ':rank': attempt.minPlanRank,
      ':watch': seconds + graceSeconds,
      ...limited?.values,
    },
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  } as const;
}

/** Adds the conditions and updates for a limited key. The first call of a period replaces the previous budget. */
function limitedKey(attempt: Attempt) {
  const { keyLimits, model, service, amount } = attempt;
  if (!keyLimits) return undefined;
  const { limit, stored } = keyLimits;
  const mayCallAtAll = model === '' ? mayCallWithLimitedKey : `${mayCallWithLimitedKey} AND ${withModel}`;
  const values = { ...(model !== '' && { ':model': model }), ':service': service };
  const budget = budgetOf(attempt);
  if (!limit || !budget)
    return { set: '', condition: `${mayCallAtAll} AND attribute_not_exists(k.#key.l)`, names: {}, values };
  const isAsRead = stored ? '#budget.s = :stored' : 'attribute_not_exists(#budget)';
  const isOld = budget.start === stored?.start;
  const rule = isOld ? '#budget.u <= :most' : ':amount <= :limit';
  return {
    set: isOld ? ', #budget.u = #budget.u + :amount' : ', #budget = :budget',
    condition: `${mayCallAtAll} AND k.#key.b = :id AND k.#key.l = :limit AND k.#key.p = :period AND ${isAsRead} AND ${rule}`,
    names: { '#budget': budgetName(budget.id) },
    values: {
      ...values,
      ':id': budget.id,
      ':limit': limit.amount,
      ':period': limit.period,
      ...(stored && { ':stored': stored.start }),
      ...(isOld ? { ':most': limit.amount - amount } : { ':budget': budgetRow({ ...budget, used: amount }) }),
    },
  };
}

/**
 * Also returns unused credits to the key's budget, at most the used amount, if the budget's period is still that of the
 * hold.
 */
function withBudgetReturn<Closing extends ReturnType<typeof closing>>(
  input: Closing,
  { id, start }: NonNullable<Hold['budget']>,
) {
  return {
    ...input,
    UpdateExpression: `SET #budget.u = #budget.u - :back, ${input.UpdateExpression.slice('SET '.length)}`,
    ConditionExpression: `${input.ConditionExpression} AND #budget.s = :start AND #budget.u >= :back`,
    ExpressionAttributeNames: { ...input.ExpressionAttributeNames, '#budget': budgetName(id) },
    ExpressionAttributeValues: { ...input.ExpressionAttributeValues, ':start': start },
  };
}

const isOpenIn = (met: Item | undefined, { requestId }: Settlement): boolean =>
  met !== undefined && meterOf(met).holds.has(requestId);

/** Closes an open hold exactly once. A call without cost has failed and does not count towards the monthly calls. */
function closing({ requestId, hold, cost, tokens, now, staleBuckets, expiryPassed }: Settlement) {
  const entry: LedgerEntry = {
    type: 'charge',
    at: Math.floor(now / 1000),
    amount: -cost,
    requestId,
    ...described(hold),
    tokens,
  };
  const removed = ['h.#request', ...staleBuckets.map((_, index) => `b.#b${index}`)];
  const buckets = Object.fromEntries(staleBuckets.map((bucket, index) => [`#b${index}`, bucket]));
  return {
    UpdateExpression:
      `SET c = c + :back, mc = mc - :failed, u.#service = if_not_exists(u.#service, :zero) + :cost, seq = seq + :one, #last = :last` +
      `${expiryPassed ? ', due = :zero' : ''} REMOVE ${removed.join(', ')}`,
    ConditionExpression: 'attribute_exists(h.#request)',
    ExpressionAttributeNames: { '#request': requestId, '#service': hold.service, '#last': 'last', ...buckets },
    ExpressionAttributeValues: {
      ':back': hold.amount - cost,
      ':cost': cost,
      ':failed': cost > 0 ? 0 : 1,
      ':zero': 0,
      ':one': 1,
      ':last': [entryRow(entry)],
    },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  } as const;
}

function described({ service, model, price, keyId }: Settlement['hold']) {
  return { service, model, price, keyId };
}
