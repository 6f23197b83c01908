import { GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, describe, expect, it } from 'vitest';
import { planOfRank } from '#contract/billing/plans.ts';
import { meterShards, tables } from '#contract/platform/resources.ts';
import { renewals } from '#domain/billing/grants.ts';
import { metering } from '#domain/meter/metering.ts';
import { meterOf } from '#repositories/meter/meter-item.ts';
import { meterStore } from '#repositories/meter/meters.ts';
import { ambient } from '#runtime/process.ts';
import { useTestDatabase } from '#test/database/database.ts';
import { outcomeOf, times } from '#test/many.ts';
import { type LaneAccount, openLaneAccount } from '#test/meter/lane-account.ts';
import { credits } from '#test/meter/meters.ts';

const database = useTestDatabase();
const opened: LaneAccount[] = [];
afterEach(() => opened.splice(0).forEach((account) => account.close()));

async function open(granted = credits(1_000_000), about = {}): Promise<LaneAccount> {
  const account = await openLaneAccount(database.url, granted, { about });
  opened.push(account);
  return account;
}

const running = async (account: LaneAccount) => (await account.lanes()).reduce((sum, { holds }) => sum + holds.size, 0);
const update = (account: LaneAccount, UpdateExpression: string, values: Record<string, unknown> = {}) =>
  account.client.send(
    new UpdateCommand({
      TableName: tables.meters.name,
      Key: { a: account.accountId },
      UpdateExpression: `${UpdateExpression} REMOVE #last`,
      ExpressionAttributeNames: { '#last': 'last' },
      ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
    }),
  );

describe('the lanes of an account', () => {
  it('carry its calls once its own item is hot, and charge each once', async () => {
    const account = await open();
    expect(await account.heat()).toBeGreaterThan(5);
    const holds = await Promise.all(times(60, (call) => account.admit(call)));
    expect(await running(account)).toBeGreaterThan(55);
    expect(await account.problems()).toEqual([]);
    await Promise.all(holds.map((hold) => hold.settle(credits(0.5), account.clock.ms)));
    await account.deliver();
    await account.deliver(100);
    expect(await account.problems()).toEqual([]);
    const charged = account.entries.filter(({ type, amount }) => type === 'charge' && amount < 0);
    expect(charged).toHaveLength(60);
    expect(new Set(charged.map(({ requestId }) => requestId)).size).toBe(60);
    expect((await account.found()).used).toEqual({ chat: credits(30) });
  });

  it('lease at most 2% of the credits, and return all within a minute of the last call', async () => {
    const account = await open();
    await account.heat();
    const leased = [...(await account.found()).lanes!.values()].reduce((sum, { amount }) => sum + amount, 0);
    expect(leased).toBeGreaterThan(0);
    expect(leased).toBeLessThanOrEqual(credits(20_000));
    const hold = await account.admit(1);
    account.clock.ms += 10_000;
    await hold.settle(credits(1), account.clock.ms);
    await account.deliver();
    account.clock.ms += 60_000;
    await account.sweep();
    const after = await account.found();
    expect({ spendable: after.spendable, lanes: after.lanes?.size, calls: after.maxConcurrentCalls }).toEqual({
      spendable: credits(999_999),
      lanes: 0,
      calls: 1000,
    });
  });

  it.each([
    ['a revoked key', 'SET k = :none', { ':none': {} }, 'INVALID_API_KEY'],
    ['an expired key', 'SET k = :old', { ':old': { 'key-1': 1 } }, 'INVALID_API_KEY'],
    [
      'a key that is limited to another model',
      'SET k = :only',
      { ':only': { 'key-1': { x: 4e9, o: ['svc-2'] } } },
      'INSUFFICIENT_PERMISSIONS',
    ],
    ['a suspended account', 'SET x = :x', { ':x': 'suspended' }, 'INVALID_API_KEY'],
  ])('refuse %s from the next call on, and hold nothing for it', async (_, change, values, code) => {
    const account = await open();
    await account.heat();
    await update(account, change, values);
    const outcomes = await Promise.all(times(12, (call) => outcomeOf(account.admit(call))));
    expect(new Set(outcomes)).toEqual(new Set([code]));
    expect(await running(account)).toBe(0);
    expect(await account.problems()).toEqual([]);
  });

  it('settle a crashed call at 0 after its deadline, and a crashed stream at its recorded cost', async () => {
    const account = await open();
    await account.heat();
    await account.admit(0);
    const stream = await account.admit(1, { isStream: true });
    expect(await stream.recordProgress(credits(0.25))).toBe(true);
    expect(await running(account)).toBe(2);
    for (let minute = 0; minute < 5; minute++) {
      account.clock.ms += 60_000;
      await account.sweep();
      await account.deliver();
    }
    expect(await stream.recordProgress(credits(0.5))).toBe(false);
    const after = await account.found();
    expect([after.spendable, after.lanes?.size]).toEqual([credits(999_999.75), 0]);
    expect(await account.problems()).toEqual([]);
  });

  it('cancel a stream, and find its hold', async () => {
    const account = await open();
    await account.heat();
    const stream = await account.admit(1, { isStream: true });
    const lane = (await account.lanes()).find(({ holds }) => holds.size > 0);
    const [requestId = ''] = lane?.holds.keys() ?? [];
    const call = { accountId: account.accountId, requestId };
    expect(await account.keeper.findHold(call)).toMatchObject({ model: 'svc-1', delivered: 0 });
    expect(await account.keeper.cancelStream(call)).toBe(true);
    expect(await stream.recordProgress(credits(0.5))).toBe(false);
  });

  it('count a charge in the month in which its call ended, whenever it is posted', async () => {
    const account = await open();
    await account.heat();
    const due = (await account.found()).due * 1000;
    const holds = await Promise.all([account.admit(0), account.admit(1)]);
    await holds[0]?.settle(credits(1), due - 1000);
    await holds[1]?.settle(credits(1), due + 1000);
    account.clock.ms = due + 5000;
    await account.deliver();
    expect((await account.found()).used).toEqual({ chat: credits(1) });
    expect(await account.problems()).toEqual([]);
  });

  it('admit no call after a lot has expired, and return no credits of it', async () => {
    const account = await open();
    await account.heat();
    const before = await account.found();
    const [lot] = before.lots;
    await update(account, 'SET g = :lots, due = :due', {
      ':lots': [['plan', lot?.granted, lot?.remaining, account.clock.ms / 1000 + 5, 1]],
      ':due': account.clock.ms / 1000 + 5,
    });
    const hold = await account.admit(0);
    account.clock.ms += 10_000;
    expect(await outcomeOf(account.admit(0))).toBe('INSUFFICIENT_CREDITS');
    await hold.settle(credits(1), account.clock.ms);
    await account.deliver();
    for (let minute = 0; minute < 3; minute++) {
      account.clock.ms += 60_000;
      await account.sweep();
      await account.deliver();
    }
    const after = await account.keeper.current(account.accountId, account.clock.ms);
    account.collect();
    expect([after.spendable, after.lanes?.size]).toEqual([0, 0]);
    expect(account.entries.filter(({ type }) => type === 'charge').reduce((sum, { amount }) => sum + amount, 0)).toBe(
      -credits(1),
    );
  });

  it('are closed within a minute after they are switched off', async () => {
    const account = await open();
    await account.heat();
    const hold = await account.admit(0);
    const store = meterStore(account.client, tables.meters.name, ambient.random);
    account.clock.ms += 60_000;
    await metering(store, renewals(planOfRank)).sweep(account.clock.ms, { shards: [account.accountId % meterShards] });
    expect((await account.found()).lanes?.size).toBe(1);
    await hold.settle(credits(1), account.clock.ms);
    await account.deliver();
    account.clock.ms += 60_000;
    await metering(store, renewals(planOfRank)).sweep(account.clock.ms, { shards: [account.accountId % meterShards] });
    expect(await account.found()).toMatchObject({ lanes: new Map(), spendable: credits(999_999) });
  });

  it('expire when they are closed, at a time that DynamoDB still deletes', async () => {
    const account = await open();
    await account.heat();
    const [lane] = (await account.found()).lanes!.keys();
    account.clock.ms += 60_000;
    await account.deliver();
    await account.sweep();
    expect((await account.found()).lanes?.size).toBe(0);
    const Key = { a: lane };
    const { Item } = await account.client.send(new GetCommand({ TableName: tables.meters.name, Key }));
    expect(Item).toMatchObject({ c: 0, ttl: Math.floor(account.clock.ms / 1000) });
  });

  it('are not opened for smaller plans, rates or caps', async () => {
    for (const about of [
      { maxConcurrentCalls: 100 },
      { ceiling: 2000 },
      { callsPerMonth: 10_000 },
      { cap: { limit: credits(1e5), start: 1_772_323_200, used: 0 } },
    ]) {
      const account = await open(credits(1_000_000), about);
      expect(await account.heat()).toBe(0);
    }
  });
});

it('an item without lanes reads and writes as before', async () => {
  const account = await open();
  const item = await account.item();
  expect(item).not.toHaveProperty('ln');
  await account.client.send(new PutCommand({ TableName: tables.meters.name, Item: item }));
  expect(meterOf(item)).not.toHaveProperty('lanes');
});
