import { describe, expect, it } from 'vitest';
import { maxHops, notifier, type WakeMessage } from '#domain/webhooks/webhook.ts';
import { responds, useSending } from '#test/webhooks/sending.ts';

const s = useSending();

describe('a chain of worker runs', () => {
  it('ends at its limit of messages, and the sweep continues it without losing a delivery', async () => {
    const webhook = await s.webhook();
    const messages: WakeMessage[] = [];
    const queue = { send: async (message: unknown) => void messages.push(message as WakeMessage) };
    const notify = notifier({ normal: async () => queue, slow: async () => queue }, s.clock);
    // Each run has time for ten attempts.
    s.respond(() => {
      s.later(3000);
      return responds(200);
    });
    const made = await s.enqueue(webhook, 100);
    const runChain = async (first: WakeMessage): Promise<number> => {
      let runs = 0;
      for (let message: WakeMessage | undefined = first; message; message = messages.shift()) {
        const { hops, accountId, ids } = message.wake;
        for (const id of ids) await s.workerWith({ notify })({ accountId, id }, hops);
        runs += 1;
      }
      return runs;
    };
    const { accountId, id } = webhook;
    expect(await runChain({ wake: { accountId, ids: [id], hops: maxHops - 4 } })).toBe(5);
    expect(s.sent.length).toBeLessThan(made.length);
    expect(await s.isDue(webhook)).toBe(true);
    await notify({ accountId, ids: [id] }, 'normal', s.clock.now());
    await runChain(messages.shift()!);
    expect(new Set(s.sent.map((sent) => sent.id))).toEqual(new Set(made.map(({ eventId }) => eventId)));
  });
});

describe('the sweep of webhooks', () => {
  const take = (ref: { accountId: number; id: string }) => s.deliveries.takeDue(ref, s.clock.now());

  it('sends no message for a webhook whose queued message is less than two minutes late', async () => {
    const webhook = await s.webhook();
    await s.enqueue(webhook);
    expect([await s.isDue(webhook), await take(webhook)]).toEqual([true, undefined]);
    s.later(119_999);
    expect(await take(webhook)).toBeUndefined();
    s.later(1);
    expect([await take(webhook), await take(webhook)]).toEqual(['normal', undefined]);
    s.later(120_000);
    expect(await take(webhook)).toBe('normal');
  });

  it('sends a message immediately after a worker crashed, because its message is lost', async () => {
    const webhook = await s.webhook();
    await s.enqueue(webhook);
    const now = s.clock.now();
    expect(
      await s.deliveries.acquire(webhook, { token: 'crashed', speed: 'normal', until: now + 75_000 }, now),
    ).toBeDefined();
    s.later(75_000);
    expect([await s.isDue(webhook), await take(webhook)]).toEqual([true, 'normal']);
  });

  it('sends a message immediately for a due retry without one', async () => {
    const webhook = await s.webhook();
    await s.enqueue(webhook);
    s.respond(() => ({ status: 503, retryAfterMs: 3_600_000, durationMs: 1 }));
    await s.work(webhook);
    s.later(3_600_000);
    expect([await s.isDue(webhook), await take(webhook)]).toEqual([true, 'normal']);
  });
});
