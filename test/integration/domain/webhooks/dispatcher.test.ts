import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planOfRank } from '#contract/billing/plans.ts';
import type { Alerts } from '#contract/routes/alerts.ts';
import { eventSamples } from '#contract/webhooks/event-samples.ts';
import { openMeter } from '#domain/billing/grants.ts';
import type { KeyEvent, Meter } from '#domain/meter/meter.ts';
import { dispatcher, type MeterChange } from '#domain/webhooks/events.ts';
import type { Webhook } from '#domain/webhooks/webhook.ts';
import { credits, meterWith } from '#test/meter/meters.ts';
import { Died, dying } from '#test/webhooks/dying.ts';
import { type Sending, useSending } from '#test/webhooks/sending.ts';

const s = useSending();
const notified: string[] = [];

const parts = () => ({
  webhooks: s.webhooks,
  deliveries: s.deliveries,
  notify: async ({ ids }: { ids: readonly string[] }) => void notified.push(...ids),
  clock: s.clock,
});

/** Changes of an account's keys, one event each. */
function changesOf(webhooks: readonly Webhook[], count: number, about: Partial<Meter> = {}): MeterChange[] {
  const [{ accountId } = { accountId: 0 }] = webhooks;
  const { meter } = openMeter(accountId, s.clock.now() / 1000, planOfRank);
  const after = { ...meter, planRank: 3, webhooks: new Set(webhooks.map(({ id }) => id)), ...about };
  return Array.from({ length: count }, (_, index) => {
    const keyEvent: KeyEvent = { type: 'created', at: Math.floor(s.clock.now() / 1000), keyId: `key-${index}` };
    return { id: `${accountId}-${index}`, before: meter, after, entries: [], keyEvent };
  });
}

const keysIn = async (webhook: Webhook): Promise<string[]> =>
  (await s.logOf(webhook)).map(({ body }) => String(JSON.parse(body).data.keyId)).toSorted();
const keys = (count: number): string[] => Array.from({ length: count }, (_, index) => `key-${index}`).toSorted();

describe('changes of a meter', () => {
  it('become one delivery for each event and subscribed webhook', async () => {
    const all = await s.webhook();
    const { accountId } = all;
    const some = await s.webhook({ accountId, events: ['key.created', 'credits.low'] });
    const other = await s.webhook({ accountId, events: ['key.revoked'] });
    await dispatcher(parts()).dispatch(accountId, changesOf([all, some, other], 5));
    expect([await keysIn(all), await keysIn(some), await keysIn(other)]).toEqual([keys(5), keys(5), []]);
    expect(notified.filter((id) => [all.id, some.id, other.id].includes(id)).toSorted()).toEqual(
      [all.id, some.id].toSorted(),
    );
  });

  it('create each delivery once if they repeat in any order and batches', async () => {
    const batches = fc.array(fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7], { minLength: 1 }), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(batches, async (orders) => {
        const first = await s.webhook();
        const second = await s.webhook({ accountId: first.accountId });
        const changes = changesOf([first, second], 8);
        const { dispatch } = dispatcher(parts());
        for (const order of [...orders, [7, 6, 5, 4, 3, 2, 1, 0]])
          await dispatch(
            first.accountId,
            order.map((index) => changes[index]!),
          );
        expect([await keysIn(first), await keysIn(second)]).toEqual([keys(8), keys(8)]);
      }),
      { numRuns: 12 },
    );
  });

  it.each([
    ['before', 'add'],
    ['after', 'add'],
    ['before', 'wake'],
    ['after', 'wake'],
    ['before', 'notify'],
    ['after', 'notify'],
  ] as const)('are all sent after a retry if the dispatcher crashes %s %s', async (when, step) => {
    const webhook = await s.webhook();
    const changes = changesOf([webhook], 3);
    const mortal = dying({ ...s.webhooks, ...s.deliveries, notify: parts().notify }, step, when);
    const dead = dispatcher({ ...parts(), webhooks: mortal, deliveries: mortal, notify: mortal.notify });
    await expect(dead.dispatch(webhook.accountId, changes)).rejects.toThrow(Died);
    await dispatcher(parts()).dispatch(webhook.accountId, changes);
    expect(await keysIn(webhook)).toEqual(keys(3));
    s.sent.length = 0;
    await s.sweep(webhook);
    expect(s.sent).toHaveLength(3);
  });

  it('are not sent to a webhook that is disabled or was created later', async () => {
    const early = await s.webhook();
    const { accountId } = early;
    const changes = changesOf([early], 2);
    const newcomer = await s.webhook({ accountId });
    const disabled = await s.webhook({ accountId, status: 'disabled' });
    await dispatcher(parts()).dispatch(
      accountId,
      changes.map((change) => ({
        ...change,
        after: { ...change.after, webhooks: new Set([early.id, disabled.id]) },
      })),
    );
    expect([await keysIn(early), await keysIn(newcomer), await keysIn(disabled)]).toEqual([keys(2), [], []]);
  });

  it.each([
    ['of a plan without webhooks', { planRank: 2 }],
    ['of a suspended account', { closed: 'suspended' }],
    ['of a deleted account', { closed: 'deleted' }],
  ] as const)('%s are not sent', async (_, about) => {
    const webhook = await s.webhook();
    await dispatcher(parts()).dispatch(webhook.accountId, changesOf([webhook], 2, about));
    expect(await keysIn(webhook)).toEqual([]);
  });

  it('notify a webhook once for any number of events', async () => {
    const webhook = await s.webhook();
    notified.length = 0;
    const changes = changesOf([webhook], 100);
    const { dispatch } = dispatcher(parts());
    for (let first = 0; first < 100; first += 25) await dispatch(webhook.accountId, changes.slice(first, first + 25));
    expect(notified).toEqual([webhook.id]);
    s.sent.length = 0;
    await s.work(webhook);
    expect(s.sent).toHaveLength(100);
  });

  it('are not sent for an alert that repeats in its period, or after a hundred alerts in a day', async () => {
    const webhook = await s.webhook({ events: ['alert.triggered'] });
    const { dispatch } = dispatcher(parts());
    for (const value of [1, 1, ...Array.from({ length: 120 }, (_, index) => index + 1)])
      await dispatch(webhook.accountId, [alertedAt(webhook, value)]);
    const values = (await s.logOf(webhook)).map(({ body }) => JSON.parse(body).data.value);
    expect(values.toSorted((one, other) => one - other)).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
  });

  it('are written in sequence if they raise alerts, because one item counts these, and otherwise concurrently', async () => {
    const webhook = await s.webhook();
    const peak = { counted: 0, others: 0 };
    const under = { counted: 0, others: 0 };
    const add = async (...[made, once]: Parameters<Sending['deliveries']['add']>) => {
      const kind = once === undefined ? 'others' : 'counted';
      peak[kind] = Math.max(peak[kind], ++under[kind]);
      const isNew = await s.deliveries.add(made, once);
      under[kind] -= 1;
      return isNew;
    };
    const { dispatch } = dispatcher({ ...parts(), deliveries: { ...s.deliveries, add } });
    const alerts = Array.from({ length: 12 }, (_, index) => alertedAt(webhook, index + 1));
    await dispatch(webhook.accountId, [...changesOf([webhook], 20), ...alerts]);
    expect(peak.counted).toBe(1);
    expect(peak.others).toBeGreaterThan(5);
    expect((await s.logOf(webhook)).length).toBeGreaterThanOrEqual(32);
  });
});

describe('an event of a message', () => {
  const event = { id: 'evt_1', type: 'message.sent', at: 1, data: eventSamples['message.sent'] } as const;

  it('is sent once to the webhooks that existed at its time, even if its record is repeated', async () => {
    const first = await s.webhook();
    const { accountId } = first;
    const happenedAt = s.clock.now();
    s.later(1);
    const late = await s.webhook({ accountId, createdAt: s.clock.now() });
    const account = meterWith(0, { accountId, planRank: 3, webhooks: new Set([first.id, late.id]) });
    for (let round = 0; round < 2; round++) await dispatcher(parts()).announce(account, event, happenedAt);
    const logged = async (of: Webhook) => (await s.logOf(of)).map(({ eventId }) => eventId);
    expect([await logged(first), await logged(late)]).toEqual([['evt_1'], []]);
  });

  it.each([{ planRank: 2 }, { planRank: 3, closed: 'suspended' }] as const)(
    'is not sent to an account with %j',
    async (about) => {
      const webhook = await s.webhook();
      const account = meterWith(0, { accountId: webhook.accountId, webhooks: new Set([webhook.id]), ...about });
      await dispatcher(parts()).announce(account, event, s.clock.now());
      expect(await s.logOf(webhook)).toEqual([]);
    },
  );
});

let changes = 0;

/** A call that reduced the balance below the value of an alert. */
function alertedAt(webhook: Webhook, value: number): MeterChange {
  const [change] = changesOf([webhook], 1);
  const { before, after } = change!;
  const at = Math.floor(s.clock.now() / 1000);
  const alerts: Alerts = { rules: [{ kind: 'balance_below', value }], channels: ['webhook'] };
  const spendable = credits(value) - 1;
  const entries = [{ type: 'charge', at, amount: -1, requestId: 'r' }] as const;
  return {
    id: `alert-${changes++}`,
    before,
    after: { ...after, alerts, spendable, used: {} },
    entries,
  };
}
