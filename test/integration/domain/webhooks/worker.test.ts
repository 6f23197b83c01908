import { describe, expect, it } from 'vitest';
import { responds, type Sending, useSending } from '#test/webhooks/sending.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

const s = useSending();

const statuses = (log: readonly { status: string }[]) => log.map(({ status }) => status);

describe('a worker', () => {
  it('sends every due delivery once', async () => {
    const webhook = await s.webhook();
    const made = await s.enqueue(webhook, 250);
    await s.work(webhook);
    expect(new Set(s.sent.map(({ id }) => id))).toEqual(new Set(made.map(({ eventId }) => eventId)));
    expect(s.sent).toHaveLength(250);
    expect(new Set(statuses(await s.logOf(webhook)))).toEqual(new Set(['delivered']));
    await s.work(webhook);
    s.later(day);
    expect([s.sent.length, await s.isDue(webhook), s.notified]).toEqual([250, false, []]);
  });

  it('works alone on a webhook, which receives at most ten concurrent requests', async () => {
    const webhook = await s.webhook();
    await s.enqueue(webhook, 40);
    let [running, max] = [0, 0];
    s.respond(async () => {
      running += 1;
      max = Math.max(max, running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running -= 1;
      return responds(200);
    });
    await Promise.all(Array.from({ length: 8 }, () => s.work(webhook)));
    expect([max, s.sent.length]).toEqual([10, 40]);
  });

  it('sends deliveries that are queued while it works', async () => {
    const webhook = await s.webhook();
    await s.enqueue(webhook);
    let late = 3;
    const deliveries = {
      ...s.deliveries,
      release: async (...given: Parameters<Sending['deliveries']['release']>) => {
        if (late-- > 0) await s.enqueue(webhook);
        return s.deliveries.release(...given);
      },
    };
    await s.workerWith({ deliveries })(webhook);
    expect(s.sent).toHaveLength(4);
    expect(await s.isDue(webhook)).toBe(false);
  });

  it('schedules a message for the next retry, which the sweep also finds when it is due', async () => {
    const webhook = await s.webhook();
    await s.enqueue(webhook);
    s.respond(() => responds(500, { body: 'oops' }));
    await s.work(webhook);
    const [delivery] = await s.logOf(webhook);
    expect(delivery).toMatchObject({ status: 'pending', attempts: 1, last: { status: 500, body: 'oops' } });
    const wait = delivery!.nextAttemptAt! - s.clock.now();
    expect([wait >= 5 * second, wait <= 5.5 * second]).toEqual([true, true]);
    expect(s.notified).toEqual([{ id: webhook.id, speed: 'normal', at: delivery!.nextAttemptAt }]);
    expect(await s.isDue(webhook)).toBe(false);
    s.later(wait);
    expect(await s.isDue(webhook)).toBe(true);
  });

  it('sends nothing for a suspended account, and continues with its next event', async () => {
    const webhook = await s.webhook();
    await s.enqueue(webhook);
    s.closed.add(webhook.accountId);
    await s.work(webhook);
    s.later(day);
    expect([s.sent, await s.isDue(webhook)]).toEqual([[], false]);
    s.closed.delete(webhook.accountId);
    await s.enqueue(webhook);
    await s.work(webhook);
    expect(s.sent).toHaveLength(2);
  });
});

describe('a delivery that fails', () => {
  it('is attempted ten times over more than three days, then exhausted', async () => {
    const webhook = await s.webhook();
    await s.enqueue(webhook);
    s.respond(() => responds(503));
    const began = s.clock.now();
    for (let elapsed = 0; elapsed < 4 * day; elapsed += 20 * second) {
      await s.sweep(webhook);
      const next = (await s.logOf(webhook))[0]!.nextAttemptAt;
      if (next === undefined) break;
      s.later(Math.max(1, next - s.clock.now()));
    }
    const waits = s.sent.map(({ at }) => at - began).map((at, index, all) => at - (all[index - 1] ?? 0));
    const schedule = [0, 5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, day];
    expect(waits).toHaveLength(10);
    for (const [index, wait] of waits.entries()) {
      expect(wait).toBeGreaterThanOrEqual(schedule[index]!);
      expect(wait).toBeLessThanOrEqual(schedule[index]! * 1.1 + 1);
    }
    expect(new Set(s.sent.map(({ id }) => id)).size).toBe(1);
    expect(await s.logOf(webhook)).toMatchObject([{ status: 'exhausted', attempts: 10 }]);
    s.later(day);
    expect(await s.isDue(webhook)).toBe(false);
  });

  it.each([429, 503])(
    'is retried after the Retry-After of a %i, and nothing else is sent until then',
    async (status) => {
      const webhook = await s.webhook();
      await s.enqueue(webhook);
      s.respond(() => responds(status, { retryAfterMs: 10 * minute }));
      await s.work(webhook);
      s.respond(() => responds(200));
      await s.enqueue(webhook);
      s.later(10 * minute - 1);
      await s.work(webhook);
      expect(s.sent).toHaveLength(1);
      s.later(1);
      await s.work(webhook);
      expect(s.sent).toHaveLength(3);
    },
  );
});

describe('a webhook that keeps failing', () => {
  it('receives one delivery at a time, and the others wait without being attempted', async () => {
    const webhook = await s.webhook();
    await s.enqueue(webhook, 100);
    s.respond(() => responds(500));
    await s.work(webhook);
    const first = s.sent.length;
    expect(first).toBeLessThanOrEqual(10);
    for (let probe = 1; probe <= 8; probe++) {
      s.later(5 * minute);
      await s.sweep(webhook);
      expect(s.sent).toHaveLength(first + probe);
    }
    const log = await s.logOf(webhook);
    expect(log.reduce((sum, { attempts }) => sum + attempts, 0)).toBe(first + 8);
    expect(log.filter(({ attempts }) => attempts === 0).length).toBeGreaterThanOrEqual(82);
  });

  it('receives all waiting deliveries when it works again', async () => {
    const webhook = await s.webhook();
    await s.enqueue(webhook, 60);
    s.respond(() => responds(500));
    await s.work(webhook);
    const failed = new Set(s.sent.map(({ id }) => id));
    s.respond(() => responds(200));
    s.sent.length = 0;
    s.later(5 * minute + 30 * second);
    await s.work(webhook);
    expect(s.sent).toHaveLength(60);
    expect(failed.size).toBeGreaterThan(0);
  });

  it('receives a test by its owner before the waiting deliveries', async () => {
    const webhook = await s.webhook();
    await s.enqueue(webhook, 20);
    s.respond(() => responds(500));
    await s.work(webhook);
    s.sent.length = 0;
    const test = s.eventFor(webhook);
    await s.deliveries.requeue(test, s.clock.now());
    expect(await s.deliveries.wake(webhook, s.clock.now(), s.clock.now(), true)).toBe(true);
    await s.work(webhook);
    expect(s.sent.map(({ id }) => id)).toEqual([test.eventId]);
  });

  it('is disabled after five days, and its pending deliveries are kept', async () => {
    const webhook = await s.webhook();
    s.respond(() => responds(500));
    for (let elapsed = 0; elapsed <= 6; elapsed++) {
      await s.enqueue(webhook);
      await s.sweep(webhook);
      s.later(day);
    }
    expect(await s.webhooks.find(webhook)).toMatchObject({ status: 'disabled', disabledReason: 'failing' });
    const sent = s.sent.length;
    expect(await s.deliveries.wake(webhook, s.clock.now(), s.clock.now())).toBe(false);
    await s.work(webhook);
    expect(s.sent).toHaveLength(sent);
    expect(statuses(await s.logOf(webhook))).toContain('pending');
  });
});
