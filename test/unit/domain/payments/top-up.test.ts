import { expect, it } from 'vitest';
import { planOfRank } from '#contract/billing/plans.ts';
import { packs } from '#contract/payments/payments.ts';
import { openMeter } from '#domain/billing/grants.ts';
import type { BillingProfile, ProfileChange } from '#domain/payments/order.ts';
import { ChargeRefused } from '#domain/payments/provider.ts';
import { topUps } from '#domain/payments/top-up.ts';
import { ServiceError } from '#domain/shared/service-error.ts';

const now = Date.UTC(2027, 0, 10);

/** Runs a top-up whose charge is refused. */
async function refused(error: Error, failures = 0) {
  let profile: BillingProfile = {
    accountId: 1,
    revision: 1,
    topUp: { threshold: 1000, packId: packs[0]?.id ?? '', monthlyLimit: 100_000, state: 'on', failures },
  };
  const failed: unknown[] = [];
  const { meter } = openMeter(1, now / 1000, planOfRank);
  const parts = {
    store: {
      profile: async () => profile,
      page: async () => ({ items: [], next: null }),
      saveProfile: async (before: BillingProfile, change: ProfileChange) =>
        (profile = { ...before, ...change } as BillingProfile),
    },
    provider: {},
    purchases: { topUp: async () => Promise.reject(error), isBlocked: async () => false },
    metering: { current: async () => meter },
    watchBalance: async () => undefined,
    queue: async () => ({ send: async () => undefined }),
    clock: { now: () => now },
    onFailure: async (_: number, rule: unknown) => void failed.push(rule),
  };
  await topUps(parts as never).run(1);
  return { rule: profile.topUp, mails: failed.length };
}

const declined = (reason: 'declined' | 'hard_decline') =>
  new ServiceError('PAYMENT_DECLINED', 'declined', { cause: new ChargeRefused(reason) });

it('the top-up is switched off by a hard decline, with an email', async () => {
  expect(await refused(declined('hard_decline'))).toMatchObject({
    rule: { state: 'off', lastFailure: { reason: 'declined', at: now } },
    mails: 1,
  });
});

it.each([
  [0, 1],
  [1, 6],
  [2, 24],
])('the top-up waits after %i declines for %i hours, without an email', async (failures, hours) => {
  expect(await refused(declined('declined'), failures)).toMatchObject({
    rule: { state: 'on', failures: failures + 1, retryAt: now + hours * 3_600_000 },
    mails: 0,
  });
});

it('the top-up is switched off by the fourth decline', async () => {
  expect(await refused(declined('declined'), 3)).toMatchObject({ rule: { state: 'off' }, mails: 1 });
});

it('the top-up charges nothing if it was switched off after it began', async () => {
  const topUp = { threshold: 1000, packId: packs[0]?.id ?? '', monthlyLimit: 100_000, state: 'on', failures: 0 };
  const read = [topUp, { ...topUp, state: 'off' }];
  const { meter } = openMeter(1, now / 1000, planOfRank);
  let isCharged = false;
  const charge = async (_account: number, _pack: unknown, refuseUnlessDue: () => Promise<void>) => {
    await refuseUnlessDue();
    isCharged = true;
  };
  const parts = {
    store: { profile: async () => ({ topUp: read.shift() }), page: async () => ({ items: [], next: null }) },
    purchases: { topUp: charge, isBlocked: async () => false },
    metering: { current: async () => meter },
    clock: { now: () => now },
  };
  await topUps(parts as never).run(1);
  expect(isCharged).toBe(false);
});

it('the top-up is unchanged and Stripe is not called after too many requests', async () => {
  const tooMany = new ServiceError('RATE_LIMIT_EXCEEDED', 'too many', { retryAfterSeconds: 1 });
  // Any other request fails the test, because nothing else is there.
  const parts = { purchases: { refuseTooMany: async () => Promise.reject(tooMany) } };
  const rule = { threshold: 1, pack: packs[0]?.id ?? '', monthlyLimit: 100_000 };
  for (const chosen of [rule, null]) await expect(topUps(parts as never).set(1, chosen)).rejects.toBe(tooMany);
});
