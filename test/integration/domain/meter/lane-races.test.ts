import { setTimeout as sleep } from 'node:timers/promises';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, describe, expect, it } from 'vitest';
import { tables } from '#contract/platform/resources.ts';
import { laneCalls } from '#domain/meter/lanes.ts';
import type { OpenHold } from '#domain/meter/metering.ts';
import { useTestDatabase } from '#test/database/database.ts';
import { atLength, outcomeOf, patience, times } from '#test/many.ts';
import { type LaneAccount, openLaneAccount } from '#test/meter/lane-account.ts';
import { credits } from '#test/meter/meters.ts';

const database = useTestDatabase();
const opened: LaneAccount[] = [];
afterEach(() => opened.splice(0).forEach((account) => account.close()));

async function open(granted: number): Promise<LaneAccount> {
  const account = await openLaneAccount(database.url, granted);
  opened.push(account);
  await account.heat(40, credits(0.01));
  return account;
}

const drain = async (account: LaneAccount): Promise<void> => {
  for (let minute = 0; minute < 4; minute++) {
    account.clock.ms += 60_000;
    await account.deliver();
    await account.sweep();
  }
};

describe('concurrent calls of an account with lanes', () => {
  it(
    'never spend more than its credits, and leave at most 2% of them in its lanes',
    async () => {
      const granted = credits(atLength(2_000, 20_000));
      const account = await open(granted);
      const calls = atLength(320, 3000);
      let refused = 0;
      let charged = 0;
      await Promise.all(
        times(40, async (worker) => {
          for (let call = worker; call < calls; call += 40) {
            const amount = call % 2 === 0 ? credits(20) : credits(0.05);
            const hold = await account.admit(call, { amount }).catch(() => undefined);
            if (!hold) refused += 1;
            else {
              await hold.settle(amount, account.clock.ms);
              charged += amount;
            }
          }
        }),
      );
      await account.deliver();
      expect(await account.problems()).toEqual([]);
      expect(refused).toBeGreaterThan(0);
      expect(charged).toBeLessThanOrEqual(granted);
      expect(charged + credits(20)).toBeGreaterThan(0.98 * granted);
      expect(account.images.filter(({ entry }) => entry.amount < 0).length).toBeGreaterThan(calls / 10);
      await drain(account);
      expect((await account.found()).spendable).toBe(granted - charged);
    },
    patience,
  );

  it(
    'are exact while the sweep moves leases and the stream posts charges, each possibly twice',
    async () => {
      const account = await open(credits(1_000_000));
      const calls = atLength(240, 4000);
      const state = { isDone: false };
      let charged = 0;
      const work = Promise.all(
        times(30, async (worker) => {
          for (let call = worker; call < calls; call += 30) {
            const hold = await account.admit(call);
            await sleep(call % 20);
            await hold.settle(credits(0.25), account.clock.ms);
            charged += credits(0.25);
          }
        }),
      ).finally(() => (state.isDone = true));
      const background = async (act: () => Promise<unknown>) => {
        while (!state.isDone) {
          await outcomeOf(act());
          await sleep(20);
        }
      };
      await Promise.all([
        work,
        background(() => {
          account.clock.ms += 31_000;
          return account.sweep();
        }),
        background(() => account.sweep(account.processes[1])),
        background(() => account.deliver(30)),
        background(() => account.deliver(10, account.processes[2])),
      ]);
      await drain(account);
      expect(await account.problems()).toEqual([]);
      const after = await account.found();
      expect([after.spendable, after.lanes?.size]).toEqual([credits(1_000_000) - charged, 0]);
      const rows = account.entries.filter(({ type, amount }) => type === 'charge' && amount < 0);
      expect(new Set(rows.map(({ requestId }) => requestId)).size).toBe(calls);
      expect(rows).toHaveLength(calls);
    },
    patience,
  );

  it(
    'never exceed the calls of the plan',
    async () => {
      const account = await openLaneAccount(database.url, credits(1_000_000), { about: { maxConcurrentCalls: 500 } });
      opened.push(account);
      const lanes = await account.heat();
      const outcomes = await Promise.allSettled(times(560, (call) => account.admit(call)));
      const admitted = outcomes.filter(({ status }) => status === 'fulfilled').length;
      expect(admitted).toBeLessThanOrEqual(500);
      expect(admitted).toBeGreaterThan(500 - (lanes * laneCalls) / 2);
      expect(await account.problems()).toEqual([]);
    },
    patience,
  );

  it(
    'start none after the answer to a suspension',
    async () => {
      const account = await open(credits(1_000_000));
      const started: number[] = [];
      const holds: OpenHold[] = [];
      let suspended = Infinity;
      const callers = times(20, async (caller) => {
        for (let call = 0; call < 8; call++) {
          const at = performance.now();
          const hold = await account.admit(caller).catch(() => undefined);
          if (!hold) continue;
          started.push(at);
          holds.push(hold);
        }
      });
      await sleep(150);
      await account.client.send(
        new UpdateCommand({
          TableName: tables.meters.name,
          Key: { a: account.accountId },
          UpdateExpression: 'SET x = :x REMOVE #last',
          ExpressionAttributeNames: { '#last': 'last' },
          ExpressionAttributeValues: { ':x': 'suspended' },
        }),
      );
      suspended = performance.now();
      await Promise.all(callers);
      expect(started.length).toBeGreaterThan(0);
      expect(Math.max(...started)).toBeLessThan(suspended);
      expect(await outcomeOf(account.admit(0))).toBe('INVALID_API_KEY');
      await Promise.all(holds.map((hold) => hold.settle(0, account.clock.ms)));
      expect(await account.problems()).toEqual([]);
    },
    patience,
  );
});
