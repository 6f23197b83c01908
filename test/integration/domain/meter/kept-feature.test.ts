import { expect, it } from 'vitest';
import { messagesPlan, planOfRank, termsIn } from '#contract/billing/plans.ts';
import { renewals } from '#domain/billing/grants.ts';
import type { Meter } from '#domain/meter/meter.ts';
import { metering } from '#domain/meter/metering.ts';
import { useMeters } from '#test/meter/meter-store.ts';
import { attemptOn, credits, meterWith, putMeter } from '#test/meter/meters.ts';

const { database, store } = useMeters();

const subscribed = { id: 'sub', planId: 'freemium', status: 'active' } as const;
const terms = (...features: ('messages' | 'webhooks')[]) => ({ ...termsIn(planOfRank(1)), features });
const sms = { service: 'sms', model: '', minPlanRank: messagesPlan.id } as const;

it.each<[what: string, about: Partial<Meter>, outcome: string]>([
  ['admits a message of a plan that included messages when it was bought', { terms: terms('messages') }, 'admitted'],
  [
    'refuses a message of a plan that never included messages',
    { terms: terms('webhooks') },
    'INSUFFICIENT_PERMISSIONS',
  ],
  ['refuses a message without kept terms', {}, 'INSUFFICIENT_PERMISSIONS'],
  [
    'enforces the other limits of a kept feature',
    { terms: terms('messages'), maxConcurrentCalls: 0 },
    'RATE_LIMIT_EXCEEDED',
  ],
])('the meter %s', async (_, about, outcome) => {
  const meter = await putMeter(
    database.client,
    meterWith(credits(5), { planRank: 1, subscription: subscribed, ...about }),
  );
  const admitted = metering(store, renewals(planOfRank)).admit(attemptOn(meter, 'call', sms));
  expect(
    await admitted.then(
      () => 'admitted',
      ({ code }) => code,
    ),
  ).toBe(outcome);
  expect((await store.find(meter.accountId))?.holds.size).toBe(outcome === 'admitted' ? 1 : 0);
});
