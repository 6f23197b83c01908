import { describe, expect, it } from 'vitest';
import { eventSamples } from '#contract/webhooks/event-samples.ts';
import type { MessageQueue } from '#domain/shared/ports.ts';
import { dispatcher } from '#domain/webhooks/events.ts';
import { healthy, notifier } from '#domain/webhooks/webhook.ts';
import { meterWith } from '#test/meter/meters.ts';
import { responds, type Sending, useSending } from '#test/webhooks/sending.ts';

const s = useSending();

const slowly = responds(200, { durationMs: 14_000 });

/** An account with `count` webhooks, each with `due` deliveries. */
async function account(count: number, due = 1) {
  const first = await s.webhook();
  const made = [first];
  while (made.length < count) made.push(await s.webhook({ accountId: first.accountId }));
  for (const webhook of made) await s.enqueue(webhook, due);
  return made;
}

describe('a webhook whose receiver takes two seconds to respond', () => {
  it('becomes slow, and no worker of normal speed sends more to it', async () => {
    const webhook = await s.webhook();
    await s.enqueue(webhook, 30);
    s.respond(() => slowly);
    await s.work(webhook);
    expect(s.sent).toHaveLength(10);
    expect(s.notified).toMatchObject([{ id: webhook.id, speed: 'slow' }]);
    await s.work(webhook);
    expect(s.sent).toHaveLength(10);
    expect(s.notified.at(-1)).toMatchObject({ id: webhook.id, speed: 'slow' });
  });

  it('receives a round of requests in each turn, even if reading the deliveries takes longer than a turn', async () => {
    const webhook = await s.webhook({ health: { ...healthy, isSlow: true } });
    await s.enqueue(webhook, 5);
    const deliveries = {
      ...s.deliveries,
      due: async (...given: Parameters<Sending['deliveries']['due']>) => {
        const due = await s.deliveries.due(...given);
        s.later(1500);
        return due;
      },
    };
    await s.workerWith({ deliveries })(webhook, 0, 'slow');
    expect(s.sent).toHaveLength(5);
  });

  it('receives no further requests at normal speed before it has responded', async () => {
    const webhook = await s.webhook();
    await s.enqueue(webhook, 30);
    let [wall, count, recorded] = [0, 0, 0];
    const gate = Promise.withResolvers<void>();
    s.respond(async () => {
      if (++count === 1) await gate.promise;
      wall += 250;
      return responds(200);
    });
    const deliveries = {
      ...s.deliveries,
      record: async (...given: Parameters<Sending['deliveries']['record']>) => {
        await s.deliveries.record(...given);
        recorded += 1;
      },
    };
    const work = s.workerWith({ deliveries, wallClock: { now: () => wall } })(webhook);
    await expect.poll(() => recorded).toBeGreaterThanOrEqual(9);
    await new Promise((resolve) => setTimeout(resolve, 200));
    gate.resolve();
    await work;
    expect(s.sent.length).toBeLessThan(20);
    expect(s.notified).toMatchObject([{ speed: 'slow' }]);
  });

  it('receives one round of requests per slow turn', async () => {
    const webhook = await s.webhook();
    await s.enqueue(webhook, 25);
    s.respond(() => {
      s.later(1400);
      return slowly;
    });
    for (const count of [10, 20, 25]) {
      await s.work(webhook, 0, 'slow');
      expect(s.sent.length).toBeLessThanOrEqual(count);
    }
    while (s.notified.length > 0 && s.notified.pop()) await s.work(webhook, 0, 'slow');
    expect(new Set((await s.logOf(webhook)).map(({ status }) => status))).toEqual(new Set(['delivered']));
  });

  it('returns to normal speed after a turn with quick responses', async () => {
    const webhook = await s.webhook();
    await s.enqueue(webhook);
    s.respond(() => slowly);
    await s.work(webhook);
    expect(await s.webhooks.find(webhook)).toMatchObject({ health: { isSlow: true } });
    s.respond(() => responds(200));
    await s.enqueue(webhook);
    await s.work(webhook, 0, 'slow');
    expect((await s.webhooks.find(webhook))?.health).toEqual({ failures: 0 });
    await s.enqueue(webhook, 40);
    await s.work(webhook);
    expect(s.sent).toHaveLength(42);
  });

  it('is swept as slow until its owner changes the webhook', async () => {
    const webhook = await s.webhook();
    await s.enqueue(webhook);
    s.respond(() => slowly);
    await s.work(webhook);
    await s.enqueue(webhook);
    s.later(120_000);
    expect(await s.deliveries.takeDue(webhook, s.clock.now())).toBe('slow');
    const change = { ...(await s.webhooks.find(webhook))!, revision: 2 };
    await s.webhooks.change(change);
    expect((await s.webhooks.find(webhook))?.health).toEqual({ failures: 0 });
  });
});

describe('an account with ten webhooks', () => {
  it('occupies at most four workers of normal speed, and the rest of its webhooks become slow', async () => {
    const webhooks = await account(10, 2);
    const gate = Promise.withResolvers<void>();
    s.respond(async () => {
      await gate.promise;
      return responds(200);
    });
    const workers: Promise<void>[] = [];
    const begun = () => new Set(s.sent.map(({ id }) => id)).size / 2 + s.notified.length;
    // One after another: workers that start together may not see each other's leases, so that more than four are open.
    for (const webhook of webhooks) {
      workers.push(s.work(webhook));
      s.later(1);
      await expect.poll(begun).toBe(workers.length);
    }
    expect(s.notified).toHaveLength(6);
    expect(new Set(s.sent.map(({ id }) => id)).size).toBe(8);
    expect(new Set(s.notified.map(({ speed }) => speed))).toEqual(new Set(['slow']));
    gate.resolve();
    await Promise.all(workers);
    await Promise.all(webhooks.map((webhook) => s.work(webhook, 0, 'slow')));
    expect(s.sent).toHaveLength(20);
  });

  it('leaves the other workers to other accounts', async () => {
    const hanging = await account(10);
    const others = await account(10);
    const gate = Promise.withResolvers<void>();
    const quick = new Set(
      (await Promise.all(others.map((webhook) => s.logOf(webhook)))).flat().map((one) => one.eventId),
    );
    s.respond(async (headers) => {
      if (!quick.has(headers['webhook-id'] ?? '')) await gate.promise;
      return responds(200);
    });
    const workers = hanging.map((webhook) => s.work(webhook));
    await s.work(others[0]!);
    expect(s.sent.some(({ id }) => quick.has(id))).toBe(true);
    gate.resolve();
    await Promise.all(workers);
  });

  it('needs one worker for an event to all of them', async () => {
    const webhooks = await account(10, 0);
    const { accountId } = webhooks[0]!;
    const sent: { readonly message: any; readonly options: unknown }[] = [];
    const queue: MessageQueue = { send: async (message, options) => void sent.push({ message, options }) };
    const notify = notifier({ normal: async () => queue, slow: async () => queue }, s.clock);
    const { announce } = dispatcher({ webhooks: s.webhooks, deliveries: s.deliveries, notify, clock: s.clock });
    const ids = new Set(webhooks.map(({ id }) => id));
    s.later(10_000);
    const event = { id: 'evt_all', type: 'message.sent', at: 1, data: eventSamples['message.sent'] } as const;
    await announce(meterWith(0, { accountId, planRank: 4, webhooks: ids }), event, s.clock.now());
    expect(sent).toHaveLength(1);
    expect(new Set(sent[0]!.message.wake.ids)).toEqual(ids);
    expect(sent[0]!.options).toMatchObject({ group: String(accountId) });
  });
});

describe('a delivery', () => {
  it.each(['normal', 'slow'] as const)('needs three writes at %s speed', async (speed) => {
    const webhook = await s.webhook();
    await s.enqueue(webhook);
    const writes: string[] = [];
    s.client.middlewareStack.add(
      (next, { commandName = '' }) =>
        (args) => {
          if (/Write|Update|Put|Delete/.test(commandName)) writes.push(commandName);
          return next(args);
        },
      { step: 'initialize', name: 'writes' },
    );
    await s.work(webhook, 0, speed);
    s.client.middlewareStack.remove('writes');
    expect(writes).toEqual(['UpdateItemCommand', 'TransactWriteItemsCommand', 'UpdateItemCommand']);
    expect(s.sent).toHaveLength(1);
  });
});
