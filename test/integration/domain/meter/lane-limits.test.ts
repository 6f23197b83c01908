import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, describe, expect, it } from 'vitest';
import { planOfRank } from '#contract/billing/plans.ts';
import { tables } from '#contract/platform/resources.ts';
import { renewals } from '#domain/billing/grants.ts';
import { verdictOn } from '#domain/meter/admission.ts';
import type { Meter } from '#domain/meter/meter.ts';
import { metering, type OpenHold } from '#domain/meter/metering.ts';
import { counted, onPlan } from '#domain/meter/periods.ts';
import { unlimited } from '#domain/meter/rate-window.ts';
import { meterStore } from '#repositories/meter/meters.ts';
import { ambient } from '#runtime/process.ts';
import { useTestDatabase } from '#test/database/database.ts';
import { outcomeOf, times } from '#test/many.ts';
import { type LaneAccount, openLaneAccount } from '#test/meter/lane-account.ts';
import { attemptOn, credits, meterWith, start } from '#test/meter/meters.ts';

const database = useTestDatabase();
const opened: LaneAccount[] = [];
afterEach(() => opened.splice(0).forEach((account) => account.close()));

async function open(about: Partial<Meter> = {}, granted = credits(1_000_000)): Promise<LaneAccount> {
  const account = await openLaneAccount(database.url, granted, { about });
  opened.push(account);
  return account;
}

const storeOf = ({ client }: LaneAccount) => meterStore(client, tables.meters.name, ambient.random);

/** Opens the given number of lanes, and lets the first process learn of them. */
async function openLanes(account: LaneAccount, count: number, amount = credits(50)): Promise<void> {
  const at = Math.floor(account.clock.ms / 1000);
  const lanes = { count, amount, until: at + 180, at: at + 30 };
  expect(await storeOf(account).openLanes(await account.found(), lanes)).toBe(true);
  await (await account.admit(0)).settle(0, account.clock.ms);
}

const inLanes = async (account: LaneAccount) => (await account.lanes()).flatMap(({ holds }) => [...holds.keys()]);
const untils = async (account: LaneAccount) => (await account.lanes()).map(({ until }) => until);

const changePlan = (account: LaneAccount, rank: number, maxConcurrentCalls: number) =>
  account.keeper.change(account.accountId, account.clock.ms, (meter) => {
    const limits = { ...planOfRank(rank), maxConcurrentCalls };
    return counted(meter, { meter: onPlan(meter, limits), entries: [] }, Math.floor(account.clock.ms / 1000));
  });

async function sweepAfter(account: LaneAccount, seconds: number, by?: LaneAccount['keeper']): Promise<void> {
  account.clock.ms += seconds * 1000;
  await account.sweep(by);
  await account.deliver();
}

describe('a call that fits in no lane', () => {
  it('is refused with 429 if the account’s own item is full', async () => {
    const account = await open({ maxConcurrentCalls: 500 });
    await openLanes(account, 25);
    const own = times(50, () => account.admit(0, { isInLane: false }));
    const holds = await Promise.all(own);
    expect(await outcomeOf(account.admit(0, { isInLane: false }))).toBe('RATE_LIMIT_EXCEEDED');
    await holds[0]?.settle(0, account.clock.ms);
    expect(await outcomeOf(account.admit(0, { isInLane: false }))).toBe('done');
  });

  it('is refused with 429 after a change to a plan with fewer calls, until the sweep has closed the lanes', async () => {
    const account = await open();
    await openLanes(account, 25);
    await changePlan(account, 4, 100);
    expect(await outcomeOf(account.admit(0))).toBe('RATE_LIMIT_EXCEEDED');
    await sweepAfter(account, 31);
    expect(await outcomeOf(account.admit(0))).toBe('done');
    expect(await account.problems()).toEqual([]);
  });

  it('is refused with 429 even without lanes if the plan allows more calls than one item can contain', () => {
    const hold = { amount: 0, deadline: 4e9, service: 'chat', model: '', keyId: '' } as const;
    const meter = meterWith(credits(1), { maxConcurrentCalls: 4000, callsPerMonth: unlimited, ceiling: unlimited });
    const running = { ...meter, holds: new Map(times(1000, (index) => [`call-${index}`, hold])) };
    expect(verdictOn(running, attemptOn(meter, 'next'))).toMatchObject({ why: { code: 'RATE_LIMIT_EXCEEDED' } });
  });
});

describe('a call with an invalid key', () => {
  it('writes to no lane, so that the account’s calls keep their slots and credits', async () => {
    const account = await open();
    await openLanes(account, 2);
    const lanes = async () => (await account.lanes()).toSorted((one, other) => one.id - other.id);
    const before = await lanes();
    const outcomes = await Promise.all(times(90, (index) => outcomeOf(account.admit(0, { keyId: `forged-${index}` }))));
    expect(new Set(outcomes)).toEqual(new Set(['INVALID_API_KEY']));
    expect(await lanes()).toEqual(before);
    await account.admit(0);
    expect(await inLanes(account)).toHaveLength(1);
  });

  it('writes to a lane once after the key was revoked', async () => {
    const account = await open();
    await openLanes(account, 2);
    const revoked = { ...(await account.item()), k: {} };
    await account.client.send(new PutCommand({ TableName: tables.meters.name, Item: revoked }));
    const admitted = async () => (await account.lanes()).reduce((sum, lane) => sum + lane.admitted, 0);
    const before = await admitted();
    for (let call = 0; call < 5; call++) expect(await outcomeOf(account.admit(0))).toBe('INVALID_API_KEY');
    expect(await admitted()).toBe(before + 1);
    expect(await inLanes(account)).toEqual([]);
  });
});

describe('the lanes of an account', () => {
  it('admit calls of more keys and models than a lane can store facts for', async () => {
    const account = await open();
    await openLanes(account, 2);
    const calls = 100;
    const holds: OpenHold[] = [];
    for (let call = 0; call < calls; call++) {
      holds.push(await account.admit(0, { model: `model-${call}`, isStream: call % 2 === 0 }));
      if (holds.length > 20) await holds.shift()?.settle(credits(0.1), account.clock.ms);
    }
    expect(await inLanes(account)).toHaveLength(holds.length);
    const models = (await account.lanes()).flatMap(({ holds: running }) =>
      [...running.values()].map(({ model }) => model),
    );
    expect(models.toSorted()).toEqual(times(20, (index) => `model-${calls - 20 + index}`).toSorted());
    for (const hold of holds) await hold.settle(credits(0.1), account.clock.ms);
    await account.deliver();
    expect(account.images).toHaveLength(calls);
    expect((await account.found()).used).toEqual({ chat: calls * credits(0.1) });
    expect(await account.problems()).toEqual([]);
  });

  it('stay open while a long call runs in them, and admit others', async () => {
    const account = await open();
    await openLanes(account, 3);
    const long = await Promise.all(times(20, () => account.admit(0)));
    for (let visit = 0; visit < 3; visit++) await sweepAfter(account, 31);
    expect(Math.min(...(await untils(account)))).toBeGreaterThan(account.clock.ms / 1000);
    await account.admit(0);
    expect(await inLanes(account)).toHaveLength(21);
    for (const hold of long) await hold.settle(0, account.clock.ms);
  });

  it('admit calls right after the account’s month has ended', async () => {
    const monthEnd = start / 1000 + 100;
    const anchor = Date.UTC(2027, 1, 1) / 1000 + 100;
    const account = await open({ period: { anchor, index: 0 }, due: monthEnd });
    await openLanes(account, 3);
    const running = await Promise.all(times(6, () => account.admit(0)));
    await sweepAfter(account, 60);
    account.clock.ms = (monthEnd + 1) * 1000;
    await Promise.all(running.map((hold) => hold.settle(0, account.clock.ms)));
    await (await account.admit(0)).settle(0, account.clock.ms);
    await Promise.all(times(12, () => account.admit(0)));
    expect(await inLanes(account)).toHaveLength(12);
  });

  it('renew with the credits that the account still has', async () => {
    const account = await open({}, credits(10_000));
    await openLanes(account, 2, credits(4));
    const { spendable } = await account.found();
    await account.admit(0, { isInLane: false, amount: spendable - credits(1) });
    await Promise.all(times(4, () => account.admit(0)));
    await sweepAfter(account, 61);
    expect(Math.min(...(await untils(account)))).toBeGreaterThan(account.clock.ms / 1000);
    expect((await account.found()).spendable).toBe(0);
    expect(await account.problems()).toEqual([]);
  });

  it('admit no call and close if the plan allows fewer lanes', async () => {
    const account = await open({ maxConcurrentCalls: 4000 });
    await openLanes(account, 30, credits(5));
    const running: OpenHold[] = [];
    // The sweep deletes lanes without calls, after which the plan could allow the rest.
    while ((await account.lanes()).some(({ holds }) => holds.size === 0))
      running.push(...(await Promise.all(times(30, () => account.admit(0, { amount: 1 })))));
    await changePlan(account, 5, 500);
    expect(await outcomeOf(account.admit(0))).toBe('RATE_LIMIT_EXCEEDED');
    // All lanes change the account's item, so a visit can lose every race. The next sweep repeats it.
    for (let visit = 0; visit < 2; visit++) await sweepAfter(account, 31);
    expect(new Set(await untils(account))).toEqual(new Set([0]));
    for (const hold of running) await hold.settle(1, account.clock.ms);
    await sweepAfter(account, 1);
    await sweepAfter(account, 31);
    expect(await outcomeOf(account.admit(0))).toBe('done');
  });

  it('write nothing to the account while they wait for their last call', async () => {
    const account = await open();
    await openLanes(account, 2);
    const hold = await account.admit(0);
    const off = metering(storeOf(account), renewals(planOfRank));
    for (let visit = 0; visit < 2; visit++) await sweepAfter(account, 31, off);
    const { admitted } = await account.found();
    await sweepAfter(account, 31, off);
    expect((await account.found()).admitted).toBe(admitted);
    await hold.settle(credits(1), account.clock.ms);
    await account.deliver();
    await sweepAfter(account, 31, off);
    expect((await account.found()).lanes?.size).toBe(0);
  });

  it('do not return credits of an expired lot, even if the clock of a sweep is behind', async () => {
    const expiresAt = start / 1000 + 100;
    const lots = [1, 2].map((id) => {
      const granted = credits(id === 1 ? 1000 : 9000);
      return {
        id,
        source: 'plan',
        granted,
        remaining: granted,
        expiresAt: expiresAt + (id - 1) * 86_400 * 60,
      } as const;
    });
    const account = await open({ lots, lotsGranted: 2, due: expiresAt }, credits(10_000));
    await openLanes(account, 2);
    await account.keeper.current(account.accountId, (expiresAt + 5) * 1000);
    account.clock.ms = (expiresAt - 50) * 1000;
    await account.sweep();
    expect((await account.found()).lanes?.size).toBe(0);
    expect((await account.keeper.current(account.accountId, (expiresAt + 60) * 1000)).spendable).toBe(credits(9000));
  });
});

describe('a lane whose records are lost', () => {
  it('posts the charges as one adjustment after its last call, and closes', async () => {
    const account = await open();
    await openLanes(account, 2);
    for (const cost of [1, 2]) await (await account.admit(0)).settle(credits(cost / 4), account.clock.ms);
    const running = await account.admit(0);
    const sweep = async () => {
      account.clock.ms += 31_000;
      await account.sweep();
    };
    await sweep();
    await running.settle(0, account.clock.ms);
    for (const _ of [1, 2]) await sweep();
    const left = (await account.found()).lanes?.size ?? 0;
    expect(left).toBeGreaterThan(0);
    expect(await account.keeper.postLostCharges(account.clock.ms)).toBe(left);
    expect(await account.keeper.postLostCharges(account.clock.ms)).toBe(0);
    await sweep();
    account.collect();
    expect(await account.found()).toMatchObject({ spendable: credits(1_000_000 - 0.75), lanes: new Map() });
    const adjusted = account.entries.filter(({ type }) => type === 'adjustment');
    expect(adjusted.reduce((sum, { amount }) => sum + amount, 0)).toBe(-credits(0.75));
  });

  it('posts nothing while it admits calls', async () => {
    const account = await open();
    await openLanes(account, 1);
    await (await account.admit(0)).settle(credits(1), account.clock.ms);
    expect(await account.keeper.postLostCharges(account.clock.ms)).toBe(0);
  });
});

describe('lanes are opened', () => {
  it('once by two sweeps at the same time', async () => {
    const account = await open({ maxConcurrentCalls: 4000 });
    const store = storeOf(account);
    for (const count of [80, 40]) await openLanes(account, count, credits(5));
    const meter = await account.found();
    const at = Math.floor(account.clock.ms / 1000);
    const lanes = { count: 40, amount: credits(5), until: at + 180, at: at + 30 };
    expect([await store.openLanes(meter, lanes), await store.openLanes(meter, lanes)]).toEqual([true, false]);
  });

  it('for calls that can use them, not for those of limited keys', async () => {
    const expiresAt = 4_000_000_000;
    const keys = new Map([
      ['key-1', { expiresAt }],
      ['key-2', { expiresAt, models: ['svc-1'] }],
    ]);
    const account = await open({ keys });
    const holds = await Promise.all(times(40, () => account.admit(0, { keyId: 'key-2' })));
    await sweepAfter(account, 61);
    expect((await account.found()).lanes?.size ?? 0).toBe(0);
    await Promise.all(holds.map((hold) => hold.settle(0, account.clock.ms)));
    expect(await account.heat()).toBeGreaterThan(0);
  });
});
