import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { planOfRank } from '#contract/billing/plans.ts';
import { renewals } from '#domain/billing/grants.ts';
import { graceSeconds } from '#domain/meter/admission.ts';
import { balance, type Meter } from '#domain/meter/meter.ts';
import { metering } from '#domain/meter/metering.ts';
import { codeOfModel } from '#domain/meter/pricing.ts';
import { lastOf } from '#repositories/meter/meter-item.ts';
import { meterStore } from '#repositories/meter/meters.ts';
import { ambient } from '#runtime/process.ts';
import { startTestDatabase, useTestDatabase } from '#test/database/database.ts';
import { atLength, patience } from '#test/many.ts';
import { auditLedger } from '#test/meter/audit-ledger.ts';
import { useLedgerAccounts } from '#test/meter/ledger-account.ts';
import { attemptOn, credits, meterWith, putMeter, start } from '#test/meter/meters.ts';

const database = useTestDatabase();
const open = useLedgerAccounts(database);

/** A client that counts its requests. */
function countingClient() {
  const requests = { GetItem: 0, UpdateItem: 0, Query: 0 };
  const client = new DynamoDBClient({ endpoint: database.url });
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      (args) => {
        requests[commandName.replace(/Command$/, '') as keyof typeof requests] += 1;
        return next(args);
      },
    { step: 'initialize' },
  );
  return { client: DynamoDBDocumentClient.from(client), requests };
}

describe('the sweep of crashed calls', () => {
  const [accounts, holds] = atLength([8, 15], [100, 100]);
  const unhurried = { maxConcurrentCalls: 1000, ceiling: 1e9 };

  it(
    'releases all holds in one round after a day without sweeps, while other calls run',
    async () => {
      const counted = countingClient();
      const { admit, find } = metering(meterStore(database.client, 'meters', ambient.random), renewals(planOfRank));
      const { sweep } = metering(meterStore(counted.client, 'meters', ambient.random), renewals(planOfRank));
      const meters: Meter[] = [];
      for (let made = 0; made < accounts; made++) {
        const meter = await putMeter(database.client, meterWith(credits(holds), unhurried));
        await Promise.all(Array.from({ length: holds }, (_, call) => admit(attemptOn(meter, `dead-${call}`))));
        meters.push(meter);
      }
      await sweep(start + 149_000);
      for (const { accountId } of meters) expect((await find(accountId))?.holds.size).toBe(holds);

      const nextDay = start + 86_400_000;
      const other = await putMeter(database.client, meterWith(credits(1), { due: nextDay / 1000 + 1 }));
      const openHold = await admit(attemptOn(other, 'alive', { now: nextDay }));
      await openHold.settle(credits(1), nextDay);
      expect((await find(other.accountId))?.spendable).toBe(0);

      const before = { ...counted.requests };
      await sweep(nextDay);
      for (const { accountId } of meters) {
        expect(await find(accountId)).toMatchObject({ holds: new Map(), spendable: credits(holds) });
      }
      // One write for each crashed call and one for the account's watch, and three reads of each account.
      expect(counted.requests.UpdateItem - before.UpdateItem).toBeLessThanOrEqual(accounts * (holds + 1));
      expect(counted.requests.GetItem - before.GetItem).toBeLessThanOrEqual(accounts * 3);
      expect(await sweep(nextDay)).toMatchObject({ accounts: 0 });
      counted.client.destroy();
    },
    patience,
  );

  it('continues with other accounts if one item is unreadable, and reports that item', async () => {
    const own = await startTestDatabase();
    const { admit, sweep, find } = metering(meterStore(own.client, 'meters', ambient.random), renewals(planOfRank));
    const meters = await Promise.all(Array.from({ length: 20 }, () => putMeter(own.client, meterWith(credits(1)))));
    for (const meter of meters) await admit(attemptOn(meter, 'dead'));
    const broken = meters.splice(4, 1)[0]!;
    await own.client.send(
      new UpdateCommand({
        TableName: 'meters',
        Key: { a: broken.accountId },
        UpdateExpression: 'SET n = :text',
        ExpressionAttributeValues: { ':text': 'not a number' },
      }),
    );
    await expect(sweep(start + 200_000)).rejects.toThrow('1 accounts could not be swept');
    for (const { accountId } of meters) expect((await find(accountId))?.holds.size).toBe(0);
    await own.close();
  });

  it('charges the recorded output of a crashed stream at the price of its admission', async () => {
    const price = codeOfModel({ perRequest: 0, input: 2e6, cachedInput: 5e5, cacheWrite: 2e6, output: 8e6 });
    const { admit, current } = metering(meterStore(database.client, 'meters', ambient.random), renewals(planOfRank));
    const meter = await putMeter(database.client, meterWith(credits(20)));
    const openHold = await admit(attemptOn(meter, 'crashed', { price, isStream: true }));
    await openHold.recordProgress(1234);
    await current(meter.accountId, start + 200_000);
    const { Item } = await database.client.send(
      new GetCommand({ TableName: 'meters', Key: { a: meter.accountId }, ConsistentRead: true }),
    );
    const { entries } = lastOf(Item);
    expect(entries).toMatchObject([{ type: 'charge', amount: -1234, model: 'svc-1', requestId: 'crashed', price }]);
  });

  it('releases a hold in the first run after its deadline, even while longer calls are still running', async () => {
    const { admit, sweep, find } = metering(
      meterStore(database.client, 'meters', ambient.random),
      renewals(planOfRank),
    );
    const meter = await putMeter(database.client, meterWith(credits(20), unhurried));
    const at = (seconds: number) => start + seconds * 1000;
    const heldAfterSweep = async (seconds: number) => {
      await sweep(at(seconds));
      return [...((await find(meter.accountId))?.holds.keys() ?? [])].toSorted();
    };
    const call = (name: string, seconds: number, timeout: number) =>
      admit(attemptOn(meter, name, { now: at(seconds), deadline: start / 1000 + seconds + timeout + graceSeconds }));

    await call('long', 0, 300);
    await call('short', 1, 28);
    expect(await heldAfterSweep(88)).toEqual(['long', 'short']);
    expect(await heldAfterSweep(89)).toEqual(['long']);
    await call('later', 100, 28);
    expect(await heldAfterSweep(187)).toEqual(['later', 'long']);
    expect(await heldAfterSweep(188)).toEqual(['long']);
    expect(await heldAfterSweep(360)).toEqual([]);
    expect(await sweep(at(361))).toMatchObject({ accounts: 0 });
  });

  it('charges the recorded output of a call, or nothing if none is recorded', async () => {
    const account = await open();
    const [noted, silent, late] = [
      await account.admit(credits(5)),
      await account.admit(credits(5)),
      await account.admit(credits(5)),
    ];
    expect([await noted.recordProgress(credits(1)), await noted.recordProgress(credits(3))]).toEqual([true, true]);
    expect(await late.recordProgress(credits(9))).toBe(true);
    await late.settle(credits(2), account.clock.now());
    expect([silent.isOpen, late.isOpen]).toEqual([true, false]);
    account.clock.seconds += 150;
    await account.meters.sweep(account.clock.now());
    expect(await noted.recordProgress(credits(4))).toBe(false);
    const meter = await account.current();
    expect(meter).toMatchObject({ spendable: credits(95), holds: new Map(), callsThisMonth: 2 });
    await account.project();
    const rows = await account.rows(meter.seq);
    expect(
      rows
        .filter(({ type }) => type === 'charge')
        .map(({ amount }) => amount)
        .toSorted((a, b) => a - b),
    ).toEqual([-credits(3), -credits(2), 0]);
    expect(auditLedger(rows, meter.seq, balance(meter))).toEqual([]);
  });

  it('never charges more than the hold, whatever the call recorded', async () => {
    const account = await open();
    const openHold = await account.admit(credits(5));
    await openHold.recordProgress(credits(70));
    account.clock.seconds += 150;
    await account.meters.sweep(account.clock.now());
    expect((await account.current()).spendable).toBe(credits(95));
  });

  it('stops counting a call as concurrent after its deadline, and not before', async () => {
    const { admit } = metering(meterStore(database.client, 'meters', ambient.random), renewals(planOfRank));
    const meter = await putMeter(database.client, meterWith(credits(10), { maxConcurrentCalls: 3, ceiling: 1000 }));
    for (const call of ['one', 'two', 'three']) await admit(attemptOn(meter, call));
    const early = admit(attemptOn(meter, 'early', { now: start + 149_999 }));
    await expect(early).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', retryAfterSeconds: 1 });
    await admit(attemptOn(meter, 'in time', { now: start + 150_000 }));
  });
});
