import { planOfRank } from '#contract/plans.ts';
import { microPerCredit, type ServiceName } from '#contract/prices.ts';
import { periodEnd } from './meter/billing.ts';
import { currentLots } from './meter/lots.ts';
import type { Meter } from './meter/meter.ts';

/** The balance as `GET /credits/me` shows it (design section 3, "Balance" and "Balance edge cases"). */
export function shownBalance(meter: Meter) {
  const [next] = currentLots(meter);
  const quota = planOfRank(meter.planRank).creditsPerMonth ?? -1;
  const expiresAt = next?.expiresAt ?? periodEnd(meter.period);
  return {
    id: meter.accountId,
    quota: perService(() => quota),
    used: perService((service) => Math.ceil((meter.used[service] ?? 0) / microPerCredit)),
    source: next?.source ?? (meter.subscription ? 'plan' : 'free'),
    expiresAt: new Date(expiresAt * 1000).toISOString(),
  };
}

function perService(value: (service: ServiceName) => number) {
  return {
    translation: value('translation'),
    audio: value('audio'),
    voice_call: value('voice_call'),
    sms: value('sms'),
  };
}
