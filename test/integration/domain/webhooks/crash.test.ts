import { describe, expect, it } from 'vitest';
import type { WorkerParts } from '#domain/webhooks/worker.ts';
import { times } from '#test/many.ts';
import { Died, dying } from '#test/webhooks/dying.ts';
import { responds, useSending } from '#test/webhooks/sending.ts';

const minute = 60_000;

const s = useSending();

/** Every worker step that may have an effect. */
const steps = ['acquire', 'due', 'send', 'record', 'release', 'notify'] as const;
const moments = steps.flatMap((step) => (['before', 'after'] as const).map((when) => [when, step] as const));

/** A worker that crashes at a step. */
function mortal(step: (typeof steps)[number], when: 'before' | 'after') {
  const state = { died: false };
  const notify: WorkerParts['notify'] = async ({ ids }, speed, at) =>
    void s.notified.push(...ids.map((id) => ({ id, speed, at })));
  const send = async (headers: Readonly<Record<string, string>>, body: string) => {
    s.sent.push({ at: s.clock.now(), url: '', id: headers['webhook-id'] ?? '', body });
    return responds(204);
  };
  const all = dying({ ...s.deliveries, notify, send }, step, when, state);
  return s.workerWith({
    deliveries: all,
    notify: all.notify,
    open: () => ({ send: all.send, close: () => undefined }),
  });
}

describe('a worker that crashes', () => {
  it.each(moments)('%s %s loses no delivery, and another worker finishes within two minutes', async (when, step) => {
    const webhook = await s.webhook();
    const made = await s.enqueue(webhook, 3);
    // One delivery is due later, so that the worker notifies too.
    const later = s.eventFor(webhook);
    await s.deliveries.add([{ ...later, nextAttemptAt: s.clock.now() + minute }]);
    await expect(mortal(step, when)(webhook)).rejects.toMatchObject({ errors: [expect.any(Died)] });
    for (let tries = 0; tries < 4; tries++) {
      s.later(minute / 2);
      await s.sweep(webhook);
    }
    const sent = new Set(s.sent.map(({ id }) => id));
    expect(sent).toEqual(new Set([...made, later].map(({ eventId }) => eventId)));
    const log = await s.logOf(webhook);
    expect(log.map(({ status, attempts }) => [status, attempts])).toEqual(times(4, () => ['delivered', 1]));
    s.later(10 * minute);
    expect(await s.isDue(webhook)).toBe(false);
  });

  it('leads to a repeat only of deliveries without a recorded result', async () => {
    const webhook = await s.webhook();
    await s.enqueue(webhook, 30);
    await expect(mortal('release', 'before')(webhook)).rejects.toMatchObject({ errors: [expect.any(Died)] });
    s.later(2 * minute);
    await s.sweep(webhook);
    expect(s.sent).toHaveLength(30);
  });

  it('holds the lease of its webhook for 75 seconds and no longer', async () => {
    const webhook = await s.webhook();
    await s.enqueue(webhook);
    await expect(mortal('due', 'before')(webhook)).rejects.toMatchObject({ errors: [expect.any(Died)] });
    s.later(minute);
    await s.work(webhook);
    expect(s.sent).toHaveLength(0);
    s.later(minute / 2);
    await s.work(webhook);
    expect(s.sent).toHaveLength(1);
  });
});

it('a worker whose lease has expired does not change the results of another', async () => {
  const webhook = await s.webhook();
  await s.enqueue(webhook);
  const slow = await s.deliveries.acquire(
    webhook,
    { token: 'slow', speed: 'normal', until: s.clock.now() + minute },
    s.clock.now(),
  );
  const [due] = await s.deliveries.due(webhook, s.clock.now(), 10);
  s.later(minute);
  await s.work(webhook);
  const delivered = await s.logOf(webhook);
  await s.deliveries.record({
    delivery: due!,
    result: responds(500),
    status: 'pending',
    nextAttemptAt: s.clock.now() + minute,
  });
  expect(await s.deliveries.release(slow!, { failures: 9, failingSince: s.clock.now() }, s.clock.now())).toEqual({
    dueAt: undefined,
  });
  expect(await s.logOf(webhook)).toEqual(delivered);
  expect(await s.webhooks.find(webhook)).toMatchObject({ health: { failures: 0 } });
});
