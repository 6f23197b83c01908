import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { maxHops, notifier, type WakeMessage } from '#domain/webhooks/sending/notify.ts';
import { responds, type Sending, startSending } from '#test/webhooks/sending.ts';

let s: Sending;
beforeAll(async () => {
  s = await startSending();
});
afterAll(() => s.close());

describe('a chain of runs of a worker', () => {
  it('ends after its limit of messages, is continued by the sweep, and loses no delivery', async () => {
    const webhook = await s.webhook();
    const messages: WakeMessage[] = [];
    const queue = { send: async (message: unknown) => void messages.push(message as WakeMessage) };
    const notify = notifier(async () => queue, s.clock);
    // Each run has time for ten attempts.
    s.respond(() => {
      s.later(3000);
      return responds(200);
    });
    const made = await s.enqueue(webhook, 100);
    const runChain = async (first: WakeMessage): Promise<number> => {
      let runs = 0;
      for (let message: WakeMessage | undefined = first; message; message = messages.shift()) {
        const { hops, ...ref } = message.wake;
        await s.workerWith({ notify })(ref, hops);
        runs += 1;
      }
      return runs;
    };
    const { accountId, id } = webhook;
    expect(await runChain({ wake: { accountId, id, hops: maxHops - 4 } })).toBe(5);
    expect(s.sent.length).toBeLessThan(made.length);
    expect(await s.isDue(webhook)).toBe(true);
    await notify(webhook, s.clock.now());
    await runChain(messages.shift()!);
    expect(new Set(s.sent.map((sent) => sent.id))).toEqual(new Set(made.map(({ eventId }) => eventId)));
  });
});
