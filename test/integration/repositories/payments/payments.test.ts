import { beforeAll, describe, expect, it } from 'vitest';
import { tables } from '#contract/platform/resources.ts';
import type { Order, OrderStore } from '#domain/payments/order.ts';
import { meterStore } from '#repositories/meter/meters.ts';
import { paymentStore } from '#repositories/payments/payments.ts';
import { ambient } from '#runtime/process.ts';
import { useTestDatabase } from '#test/database/database.ts';
import { meterWith, putMeter } from '#test/meter/meters.ts';

const database = useTestDatabase();
const now = Date.UTC(2027, 0, 10);
let store: OrderStore;
beforeAll(() => {
  store = paymentStore(database.client, tables.payments.name, () => tables.meters.name);
});

let orders = 0;
const newOrder = (about: Partial<Order> = {}): Order => {
  orders += 1;
  return {
    accountId: 1,
    id: `ord_${String(orders).padStart(20, '0')}`,
    kind: 'pack',
    state: 'created',
    cents: 500,
    credits: 500,
    createdAt: now,
    provider: {},
    revision: 1,
    ...about,
  };
};

async function dueAt(at: number): Promise<unknown[]> {
  const found = [];
  for await (const work of store.due(at)) found.push(work);
  return found;
}

describe('an order', () => {
  it('is added once, and only one of two concurrent writes succeeds', async () => {
    const order = newOrder();
    expect([await store.add(order), await store.add(order)]).toEqual([true, false]);
    const writes = await Promise.all([store.save(order, { state: 'paid' }), store.save(order, { state: 'failed' })]);
    expect(writes.filter((written) => written !== undefined)).toHaveLength(1);
    expect(await store.find(order)).toEqual(writes.find((written) => written !== undefined));
  });

  it("is granted in the same transaction as the meter's change", async () => {
    const meter = await putMeter(database.client, meterWith(1_000_000));
    const meters = meterStore(database.client, tables.meters.name, ambient.random);
    const order = newOrder({ accountId: meter.accountId, state: 'paid', paidAt: now });
    await store.add(order);
    const entry = { type: 'grant', at: now / 1000, amount: 5, source: 'purchase' } as const;
    const before = (await meters.find(meter.accountId))!;
    const after = { ...before, spendable: before.spendable + 5, seq: before.seq + 1 };
    const write = () => store.saveWithMeter(order, { state: 'granted' }, { before, after, entries: [entry] });

    const outcomes = await Promise.all([write(), write(), write()]);

    expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(1);
    expect((await meters.find(meter.accountId))?.spendable).toBe(1_000_005);
    const stale = { before, after, entries: [entry] };
    const current = (await store.find(order))!;
    expect(await store.saveWithMeter(current, {}, stale)).toBe('meter changed');
    expect(await store.find(order)).toEqual(current);
  });

  it('is due until it has ended', async () => {
    const order = newOrder({ accountId: 77 });
    await store.add(order);
    const ref = { accountId: 77, id: order.id };
    expect(await dueAt(now + 4 * 60_000)).not.toContainEqual(ref);
    expect(await dueAt(now + 5 * 60_000)).toContainEqual(ref);
    const opened = (await store.save(order, { provider: { session: 'cs_1' }, expiresAt: now + 3_600_000 }))!;
    expect(await dueAt(now + 60 * 60_000)).not.toContainEqual(ref);
    expect(await dueAt(now + 61 * 60_000)).toContainEqual(ref);
    await store.save(opened, { state: 'expired' });
    expect(await dueAt(now + 10 * 86_400_000)).not.toContainEqual(ref);
  });
});

describe('a profile', () => {
  it('has one customer, which belongs to one account', async () => {
    const before = await store.profile(9);
    expect(before).toEqual({ accountId: 9, revision: 0 });
    expect(await store.saveCustomer(before, 'cus_1')).toMatchObject({ customer: 'cus_1' });
    expect(await store.saveCustomer(before, 'cus_2')).toBeUndefined();
    expect(await store.saveCustomer(await store.profile(10), 'cus_1')).toBeUndefined();
    expect([await store.accountOf('cus_1'), await store.accountOf('cus_2')]).toEqual([9, undefined]);
  });

  it('is locked by one of two concurrent charges, and is due when it must be aligned', async () => {
    const before = await store.profile(11);
    const locks = await Promise.all([
      store.saveProfile(before, { charging: 'a', alignAt: now }),
      store.saveProfile(before, { charging: 'b', alignAt: now }),
    ]);
    expect(locks.filter((lock) => lock !== undefined)).toHaveLength(1);
    expect(await dueAt(now)).toContainEqual({ accountId: 11 });
    await store.saveProfile(await store.profile(11), { charging: undefined, alignAt: undefined });
    expect(await store.profile(11)).toEqual({ accountId: 11, revision: 2 });
    expect(await dueAt(now)).not.toContainEqual({ accountId: 11 });
  });
});

it('an event is accepted until it is finished', async () => {
  const event = { id: 'evt_1', type: 'invoice.paid', objectId: 'in_1', receivedAt: now };
  expect([await store.receive(event), await store.receive(event)]).toEqual([true, true]);
  await store.finish('evt_1', now + 1);
  expect(await store.receive(event)).toBe(false);
  expect(await store.event('evt_1')).toEqual({ ...event, finishedAt: now + 1 });
  expect(await store.event('evt_2')).toBeUndefined();
});
