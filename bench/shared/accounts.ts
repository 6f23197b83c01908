import { randomBytes } from 'node:crypto';
import { planOfRank } from '#contract/billing/plans.ts';
import { microPerCredit } from '#contract/billing/prices.ts';
import { openMeter } from '#domain/meter/credits/billing.ts';
import { onPlan } from '#domain/meter/rate-window.ts';
import { issueCredential } from '#domain/shared/credential.ts';
import { newMeterRow } from '#repositories/meter/meter-item.ts';

const pro = 4;

/** Credits enough for any run. */
const plenty = 100_000 * microPerCredit;

export interface BenchAccount {
  readonly accountId: number;
  readonly key: string;
  /** The item of its meter: confirmed, on pro_pass, with its key. */
  readonly item: Record<string, unknown>;
}

/** So many accounts, each with a key as the service issues it. Ids are spread as registrations spread them. */
export function benchAccounts(count: number, planRank = pro): BenchAccount[] {
  const now = Math.floor(Date.now() / 1000);
  return Array.from({ length: count }, (_, index) => {
    const accountId = 700_000_000_000 + index * 7919;
    const { text: key, digest } = issueCredential('key', accountId, { bytes: (size) => randomBytes(size) });
    const { meter } = openMeter(accountId, now, planOfRank);
    const lots = [{ id: 1, source: 'plan', granted: plenty, remaining: plenty, expiresAt: now + 90 * 86_400 }] as const;
    const used = { ...onPlan(meter, planOfRank(planRank)), spendable: plenty, lots, lotsGranted: 1 };
    const item = { ...newMeterRow(used, []), k: { [digest]: now + 365 * 86_400 } };
    return { accountId, key, item };
  });
}
