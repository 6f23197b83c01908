import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { meterShards } from '#contract/platform/resources.ts';
import type { Lane } from '#domain/meter/lanes.ts';
import type { MeterStore, Meter } from '#domain/meter/meter.ts';
import type { Random } from '#domain/shared/ports.ts';
import { conditionally } from '../shared/conditional.ts';
import { readItems } from '../shared/read-items.ts';
import { commit, type TransactItem } from '../shared/transaction.ts';
import { laneOf, newLaneRow, unusedFacts } from './lane-item.ts';
import { entryRow, laneName, storedOwnCalls } from './meter-item.ts';

type LaneStore = Pick<MeterStore, 'findLanes' | 'openLanes' | 'moveLease' | 'closeLane' | 'postCharges'>;

/** Bytes of a lane's random number. Short, because the account's item stores one for each lane. */
const idBytes = 5;

/**
 * Moves of leases between an account's item and its lanes: each is one transaction. A move counts as an admitted call
 * of the account, so that no change based on the meter before it succeeds.
 */
export function laneStore(client: DynamoDBDocumentClient, TableName: string, random: Random): LaneStore {
  const newId = (): number => -1 - Number.parseInt(Buffer.from(random.bytes(idBytes)).toString('hex'), 16);

  /** `due` is unchanged only while no month has ended and no lot has expired. */
  function ofAccount(
    { accountId, due }: Meter,
    change: {
      readonly set: readonly string[];
      readonly removed?: readonly string[];
      readonly conditions: readonly string[];
      readonly names?: Readonly<Record<string, string>>;
      readonly values: Readonly<Record<string, unknown>>;
    },
  ): TransactItem {
    return {
      Update: {
        TableName,
        Key: { a: accountId },
        UpdateExpression: `SET n = n + :one, m = m + :one, ${change.set.join(', ')} REMOVE ${['#last', ...(change.removed ?? [])].join(', ')}`,
        ConditionExpression: ['due = :due', ...change.conditions].join(' AND '),
        ExpressionAttributeNames: { '#last': 'last', ...change.names },
        ExpressionAttributeValues: { ':one': 1, ':due': due, ...change.values },
      },
    };
  }

  const open: LaneStore['openLanes'] = (meter, { count, amount, until, at }) => {
    const ids = Array.from({ length: count }, newId);
    const shard = meter.accountId % meterShards;
    const lanes = ids.map((a): TransactItem => {
      const Item = { a, ...newLaneRow(shard, meter.accountId, { c: amount, e: until, hd: at }) };
      return { Put: { TableName, Item, ConditionExpression: 'attribute_not_exists(a)' } };
    });
    const row = [amount, 0];
    const opened = new Map([...(meter.lanes ?? []), ...ids.map((id) => [id, { amount, posted: 0 }] as const)]);
    const [own, rest] = [storedOwnCalls(meter), storedOwnCalls({ ...meter, lanes: opened })];
    const names = Object.fromEntries(ids.map((id, index) => [`#l${index}`, laneName(id)]));
    const leases = meter.lanes
      ? { set: ids.map((_, index) => `ln.#l${index} = :row`), names, values: { ':row': row } }
      : {
          set: ['ln = :rows'],
          names: {},
          values: { ':rows': Object.fromEntries(ids.map((id) => [laneName(id), row])) },
        };
    const account = ofAccount(meter, {
      set: ['c = c - :sum', 'q = :rest', ...leases.set],
      conditions: [
        'attribute_not_exists(x)',
        'attribute_not_exists(cp)',
        meter.lanes ? 'size(ln) = :lanes' : 'attribute_not_exists(ln)',
        'c >= :sum',
        'q = :own',
        'r = :rank',
        'size(h) <= :rest',
      ],
      names: leases.names,
      values: {
        ':sum': amount * count,
        ...(meter.lanes && { ':lanes': meter.lanes.size }),
        ':own': own,
        ':rank': meter.planRank,
        ':rest': rest,
        ...leases.values,
      },
    });
    return commit(client, [account, ...lanes]);
  };

  const due = (isDue: boolean) => ({ set: isDue ? ['due = :zero'] : [], values: isDue ? { ':zero': 0 } : {} });

  const move: LaneStore['moveLease'] = (meter, lane, { amount, until, at, isDue }) => {
    const isMore = amount > 0;
    const name = { '#lane': laneName(lane.id) };
    const account = ofAccount(meter, {
      set: ['c = c - :amount', 'ln.#lane[0] = ln.#lane[0] + :amount', ...due(isDue).set],
      conditions: [
        'attribute_exists(ln.#lane)',
        ...(isMore ? ['attribute_not_exists(x)', 'attribute_not_exists(cp)', 'c >= :amount'] : []),
      ],
      names: name,
      values: { ':amount': amount, ...due(isDue).values },
    });
    const unused = Object.fromEntries(unusedFacts(lane).map((reference, index) => [`#f${index}`, reference]));
    const removed = ['#last', ...Object.keys(unused).map((name) => `f.${name}`)].join(', ');
    const ofLane: TransactItem = {
      Update: {
        TableName,
        Key: { a: lane.id },
        UpdateExpression: `SET c = c + :amount, e = :until, hd = :at REMOVE ${removed}`,
        ConditionExpression: 'e = :before AND n = :n AND c >= :least',
        ExpressionAttributeNames: { '#last': 'last', ...unused },
        ExpressionAttributeValues: {
          ':amount': amount,
          ':until': until,
          ':at': at,
          ':n': lane.admitted,
          ':before': lane.until,
          ':least': Math.max(0, -amount),
        },
      },
    };
    return commit(client, [account, ofLane]);
  };

  const close: LaneStore['closeLane'] = (meter, lane, { at, isDue }) => {
    const left = new Map(meter.lanes);
    left.delete(lane.id);
    const account = ofAccount(meter, {
      set: ['c = c + :back', 'q = :own', ...due(isDue).set],
      removed: ['ln.#lane'],
      conditions: ['ln.#lane[0] = :back', 'ln.#lane[1] = :seq', 'size(ln) = :lanes', 'q = :before'],
      names: { '#lane': laneName(lane.id) },
      values: {
        ':back': lane.spendable,
        ':lanes': left.size + 1,
        ':before': storedOwnCalls(meter),
        ':own': storedOwnCalls({ ...meter, lanes: left }),
        ':seq': lane.seq,
        ...due(isDue).values,
      },
    });
    // Sweeps may not delete items of this table, so closed lanes expire. DynamoDB ignores a ttl more than five years in
    // the past.
    const ofLane: TransactItem = {
      Update: {
        TableName,
        Key: { a: lane.id },
        UpdateExpression: 'SET c = :none, e = :none, #ttl = :at REMOVE p, hd, u, #last',
        ConditionExpression: 'seq = :seq AND n = :n AND c = :c AND size(h) = :none',
        ExpressionAttributeNames: { '#ttl': 'ttl', '#last': 'last' },
        ExpressionAttributeValues: {
          ':seq': lane.seq,
          ':n': lane.admitted,
          ':c': lane.spendable,
          ':none': 0,
          ':at': at,
        },
      },
    };
    return commit(client, [account, ofLane]);
  };

  /** One write for charges of several lanes. It succeeds once, because it requires the previous posting of each. */
  const post: LaneStore['postCharges'] = async (meter, { entries, lanes, used, calls }) => {
    const of = [...lanes].map(([id, lane], index) => {
      const posted = meter.lanes?.get(id)?.posted ?? 0;
      return { id, ...lane, from: posted, at: `ln.#l${index}`, index };
    });
    const services = [...used.keys()];
    const write = new UpdateCommand({
      TableName,
      Key: { a: meter.accountId },
      UpdateExpression: `SET ${[
        ...of.flatMap(({ at, index }) => [`${at}[0] = ${at}[0] - :c${index}`, `${at}[1] = :to${index}`]),
        ...services.map((_, index) => `u.#u${index} = if_not_exists(u.#u${index}, :zero) + :u${index}`),
        'mc = mc + :calls',
        'seq = seq + :rows',
        '#last = :last',
      ].join(', ')}`,
      ConditionExpression: [
        'pa = :anchor',
        'pi = :index',
        ...of.map(({ at, index }) => `${at}[1] = :from${index}`),
      ].join(' AND '),
      ExpressionAttributeNames: {
        '#last': 'last',
        ...Object.fromEntries(of.map(({ id, index }) => [`#l${index}`, laneName(id)])),
        ...Object.fromEntries(services.map((service, index) => [`#u${index}`, service])),
      },
      ExpressionAttributeValues: {
        ...Object.fromEntries(
          of.flatMap(({ amount, posted, from, index }) => [
            [`:c${index}`, amount],
            [`:to${index}`, posted],
            [`:from${index}`, from],
          ]),
        ),
        ...Object.fromEntries(services.map((service, index) => [`:u${index}`, used.get(service)])),
        ...(services.length > 0 && { ':zero': 0 }),
        ':calls': calls,
        ':rows': entries.length,
        ':last': entries.map(entryRow),
        ':anchor': meter.period.anchor,
        ':index': meter.period.index,
      },
    });
    return 'done' in (await conditionally(client.send(write)));
  };

  const find = async (ids: readonly number[]): Promise<readonly Lane[]> =>
    (
      await readItems(
        client,
        TableName,
        ids.map((a) => ({ a })),
      )
    ).map(laneOf);

  return { findLanes: find, openLanes: open, moveLease: move, closeLane: close, postCharges: post };
}
