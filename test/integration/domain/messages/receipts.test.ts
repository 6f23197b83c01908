import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MessageStatus } from '#contract/messages/messages.ts';
import { tables } from '#contract/platform/resources.ts';
import { isForward } from '#domain/messages/message.ts';
import { balance } from '#domain/meter/meter.ts';
import { messageKey } from '#repositories/messages/messages.ts';
import { useTestDatabase } from '#test/database/database.ts';
import { lost, openDesk, taken, takenAs } from '#test/messages/desk.ts';
import { credits } from '#test/meter/meters.ts';

const database = useTestDatabase();

const ends = ['sent', 'unknown', 'delivered', 'undelivered', 'failed'] as const satisfies readonly MessageStatus[];

it('receipts in any order set the first final status, and refund a failed message once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...ends), { maxLength: 6 }), fc.boolean(), async (receipts, isLost) => {
      const desk = await openDesk(database);
      const { id } = await desk.send(isLost ? lost : taken);
      let expected: MessageStatus = isLost ? 'unknown' : 'sent';
      for (const status of receipts) {
        await desk.receipts.record({ accountId: desk.accountId, id, status });
        if (isForward(expected, status)) expected = status;
      }
      const isFailed = expected === 'failed';
      expect(await desk.messages()).toMatchObject([{ status: expected, credits: isFailed ? 0 : 2 }]);
      expect(await desk.spendable()).toBe(isFailed ? 100 : 98);
    }),
    { numRuns: 25 },
  );
});

it('receipts set the reason of a failure', async () => {
  const desk = await openDesk(database);
  const { id, failure } = await desk.send(taken);
  expect(failure).toBeNull();
  const ref = { accountId: desk.accountId, id };
  await desk.receipts.record({ ...ref, status: 'undelivered', failure: 'spam' });
  await desk.receipts.record({ ...ref, status: 'failed', failure: 'carrier' });
  expect(await desk.messages()).toMatchObject([{ status: 'undelivered', failure: 'spam' }]);
  const Key = messageKey(ref);
  const removal = { UpdateExpression: 'REMOVE failure' };
  await database.client.send(new UpdateCommand({ TableName: tables.messages.name, Key, ...removal }));
  expect(await desk.messages()).toMatchObject([{ status: 'undelivered', failure: null }]);
});

it('concurrent receipts refund once', async () => {
  const desk = await openDesk(database);
  const { id } = await desk.send(taken);
  const failed = { accountId: desk.accountId, id, status: 'failed' } as const;
  const results = await Promise.all(Array.from({ length: 6 }, () => desk.receipts.record(failed)));
  expect(results.filter(Boolean)).toHaveLength(1);
  const meter = await desk.meter();
  expect(meter.spendable).toBe(credits(100));
  expect(meter.used).toEqual({ sms: 0 });
  expect(balance(meter)).toBe(meter.lots.reduce((sum, { remaining }) => sum + remaining, 0));
});

it("receipts of failures are refunded to the key's spending limit", async () => {
  const limit = { budget: 'budget-1', amount: credits(10), period: 'day' } as const;
  const desk = await openDesk(database, {
    about: { keys: new Map([['key-1', { expiresAt: 4_000_000_000, limit }]]) },
  });
  const { id } = await desk.send(taken);
  await desk.send(taken);
  const used = async () => (await desk.meter()).budgets.get('budget-1')?.used;
  expect(await used()).toBe(credits(4));
  await desk.receipts.record({ accountId: desk.accountId, id, status: 'failed' });
  expect([await used(), await desk.spendable()]).toEqual([credits(2), 98]);
});

it('receipts of an unknown, foreign or expired message change nothing', async () => {
  const [desk, other] = [await openDesk(database), await openDesk(database)];
  const { id } = await desk.send(taken);
  const unknown = { accountId: desk.accountId, id: 'msg_0000000aaaaaaaaaaaaa', status: 'failed' } as const;
  expect(await desk.receipts.record(unknown)).toBe(false);
  expect(await desk.receipts.record({ accountId: other.accountId, id, status: 'failed' })).toBe(false);
  desk.clock.at += 30 * 86_400_000;
  expect(await desk.receipts.record({ accountId: desk.accountId, id, status: 'delivered' })).toBe(false);
  expect(await desk.messages()).toEqual([]);
});

it('receipts that arrive before the message is recorded set its status, and it is charged unless it failed', async () => {
  for (const [status, spendable] of [
    ['delivered', 98],
    ['failed', 100],
  ] as const) {
    const desk = await openDesk(database);
    const sent = await desk.send(async ({ accountId, id }) => {
      await desk.receipts.record({ accountId, id, status });
      return { is: 'accepted' };
    });
    expect(sent).toMatchObject({ status, credits: 100 - spendable });
    expect([status, await desk.spendable()]).toEqual([status, spendable]);
  }
});

describe('a receipt with only the carrier’s message id', () => {
  it('finds its message for as long as receipts may arrive', async () => {
    const desk = await openDesk(database);
    const carrierId = crypto.randomUUID();
    await desk.send(takenAs(carrierId));
    desk.clock.at += 3 * 86_400_000;
    expect(await desk.receipts.record({ carrierId, status: 'failed' })).toBe(true);
    expect(await desk.receipts.record({ carrierId, status: 'failed' })).toBe(false);
    expect(await desk.messages()).toMatchObject([{ status: 'failed', credits: 0 }]);
    expect(await desk.spendable()).toBe(100);
  });

  it('waits until the id is recorded, and is ignored if the id is unknown', async () => {
    const carrierId = crypto.randomUUID();
    let sent: Promise<unknown> | undefined;
    const desk = await openDesk(database, { pause: async () => void (await sent) });
    const early = desk.receipts.record({ carrierId, status: 'delivered' });
    sent = desk.send(takenAs(carrierId));
    expect(await early).toBe(true);
    expect(await desk.messages()).toMatchObject([{ status: 'delivered', credits: 2 }]);
    expect(await desk.receipts.record({ carrierId: crypto.randomUUID(), status: 'failed' })).toBe(false);
  });

  it('applies to the first message if a carrier reuses an id', async () => {
    const [desk, other] = [await openDesk(database), await openDesk(database)];
    const carrierId = crypto.randomUUID();
    await desk.send(takenAs(carrierId));
    await other.send(takenAs(carrierId));
    await desk.receipts.record({ carrierId, status: 'delivered' });
    expect(await desk.messages()).toMatchObject([{ status: 'delivered' }]);
    expect(await other.messages()).toMatchObject([{ status: 'sent', credits: 2 }]);
  });

  it('is ignored if the id could not be recorded, and the message is still sent and charged', async () => {
    const desk = await openDesk(database);
    const messages = { ...desk.store, noteCarrierId: () => Promise.reject(new Error('away')) };
    expect(await desk.send(takenAs('lost'), { messages })).toMatchObject({ status: 'sent', credits: 2 });
    expect(await desk.receipts.record({ carrierId: 'lost', status: 'failed' })).toBe(false);
    expect(await desk.spendable()).toBe(98);
  });
});
