import type { Plans } from '#contract/billing/plans.ts';
import { microPerCredit } from '#contract/billing/prices.ts';
import { shownHolds } from '#contract/operators/accounts.ts';
import type { Account } from '../accounts/account.ts';
import { subscriptionView } from '../billing/subscription-view.ts';
import { rateStanding, unlimited } from '../meter/admission/rate-window.ts';
import { periodEnd, periodStart } from '../meter/credits/billing.ts';
import { currentLots } from '../meter/credits/lots.ts';
import { iso } from '../meter/credits/months.ts';
import { heldCredits, type Meter } from '../meter/meter.ts';
import { operatedAccount } from './operated-account.ts';

/** All that operators see of an account and its meter. `now` in epoch ms. */
export function accountDetails(account: Account, meter: Meter, plans: Plans, now: number) {
  const { confirmedAt, suspendedAt, deletedAt, passwordHash, identities = [] } = account;
  return {
    ...operatedAccount(account, meter),
    confirmedAt: moment(confirmedAt),
    suspendedAt: moment(suspendedAt),
    deletedAt: moment(deletedAt),
    signIn: { password: passwordHash !== undefined, google: identities.length > 0 },
    subscription: meter.subscription ? subscriptionView(meter, plans) : null,
    credits: { spendable: credits(meter.spendable), held: credits(heldCredits(meter)), lots: lotsOf(meter) },
    holds: holdsOf(meter),
    calls: callsOf(meter, now),
    period: { from: iso(periodStart(meter.period)), to: iso(periodEnd(meter.period)) },
    used: Object.entries(meter.used).map(([service, amount]) => ({ service, credits: credits(amount) })),
  };
}

function lotsOf(meter: Meter) {
  return currentLots(meter).map(({ source, granted, remaining, expiresAt }) => ({
    source,
    granted: credits(granted),
    remaining: credits(remaining),
    expiresAt: iso(expiresAt),
  }));
}

function holdsOf({ holds }: Meter) {
  const soonest = [...holds].toSorted(([, one], [, other]) => one.deadline - other.deadline).slice(0, shownHolds);
  return soonest.map(([requestId, { amount, deadline, service, model, keyId }]) => ({
    requestId,
    service,
    model,
    keyId: keyId === '' ? null : keyId,
    credits: credits(amount),
    expiresAt: iso(deadline),
  }));
}

function callsOf(meter: Meter, now: number) {
  const rate = rateStanding(meter, now);
  return {
    running: meter.holds.size,
    maxRunning: meter.maxConcurrentCalls,
    thisMonth: meter.callsThisMonth,
    perMonth: meter.callsPerMonth >= unlimited ? null : meter.callsPerMonth,
    perMinute: rate
      ? { limit: rate.limit, remaining: rate.remaining, resetSeconds: Math.ceil(rate.resetMs / 1000) }
      : null,
  };
}

const credits = (amount: number): number => amount / microPerCredit;
const moment = (ms: number | undefined): string | null => (ms === undefined ? null : new Date(ms).toISOString());
