import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventSamples } from '#contract/webhooks/event-samples.ts';
import { dispatcher } from '#domain/webhooks/dispatcher.ts';
import { meterWith } from '#test/meter/meters.ts';
import { type Sending, startSending } from '#test/webhooks/sending.ts';

let s: Sending;
beforeAll(async () => {
  s = await startSending();
});
afterAll(() => s.close());

it('an event of a message goes to the webhooks that were there when it happened, once though its record comes again', async () => {
  const first = await s.webhook();
  const { accountId } = first;
  const happenedAt = s.clock.now();
  s.later(1);
  const late = await s.webhook({ accountId, createdAt: s.clock.now() });
  const events = dispatcher({
    webhooks: s.webhooks,
    deliveries: s.deliveries,
    notify: async () => undefined,
    clock: s.clock,
  });
  const event = { id: 'evt_1', type: 'message.sent', at: 1, data: eventSamples['message.sent'] } as const;
  const account = meterWith(0, { accountId, planRank: 3, webhooks: new Set([first.id, late.id]) });
  for (let round = 0; round < 2; round++) await events.announce(account, event, happenedAt);
  const logged = async (of: typeof first) => (await s.logOf(of)).map(({ eventId }) => eventId);
  expect([await logged(first), await logged(late)]).toEqual([['evt_1'], []]);
});

it('an account whose plan has no webhooks any more, or that is suspended, is sent none', async () => {
  const webhook = await s.webhook();
  const events = dispatcher({
    webhooks: s.webhooks,
    deliveries: s.deliveries,
    notify: async () => undefined,
    clock: s.clock,
  });
  const event = { id: 'evt_2', type: 'message.failed', at: 1, data: eventSamples['message.failed'] } as const;
  const about = { accountId: webhook.accountId, webhooks: new Set([webhook.id]) };
  for (const more of [{ planRank: 2 }, { planRank: 3, closed: 'suspended' as const }])
    await events.announce(meterWith(0, { ...about, ...more }), event, s.clock.now());
  expect(await s.logOf(webhook)).toEqual([]);
});
