import { planOfRank } from '#contract/billing/plans.ts';
import { isServiceName, microPerCredit, type ServiceName } from '#contract/billing/prices.ts';
import { isoOfSeconds } from '#contract/shared/time.ts';
import { currentLots, mergedLots } from '../meter/lots.ts';
import { heldCredits, type Meter } from '../meter/meter.ts';
import { periodEnd, planOfMeter } from '../meter/periods.ts';
import { ServiceError } from '../shared/service-error.ts';

/** Formats `GET /credits/me` (docs/credits.md#fields-and-headers). */
export function balanceView(meter: Meter) {
  const [next] = currentLots(meter);
  const quota = quotaOf(meter);
  return {
    id: meter.accountId,
    quota: perService(() => quota),
    used: { ...perService((service) => usedOf(meter, service)), audio: usedOf(meter, 'audio', 'transcription') },
    source: next?.source ?? (meter.subscription ? 'plan' : 'free'),
    expiresAt: isoOfSeconds(next?.expiresAt ?? periodEnd(meter.period)),
  };
}

export function creditsView(meter: Meter) {
  return {
    balance: Math.floor(meter.spendable / microPerCredit),
    held: Math.ceil(heldCredits(meter) / microPerCredit),
    lots: mergedLots(meter).map(({ source, granted, remaining, expiresAt }) => ({
      source,
      granted: Math.floor(granted / microPerCredit),
      remaining: Math.floor(remaining / microPerCredit),
      expiresAt: isoOfSeconds(expiresAt),
    })),
  };
}

export function quotaView(meter: Meter, name: string) {
  if (!isServiceName(name)) throw new ServiceError('NOT_FOUND', 'There is no such service; see GET /services.');
  const quota = quotaOf(meter);
  const used = usedOf(meter, name);
  const remaining = quota === -1 ? -1 : Math.max(0, quota - used);
  return { service: name, quota, used, remaining, resetsAt: isoOfSeconds(periodEnd(meter.period)) };
}

function quotaOf(meter: Meter): number {
  return planOfMeter(meter, planOfRank).creditsPerMonth ?? -1;
}

function usedOf(meter: Meter, ...services: readonly ServiceName[]): number {
  return Math.ceil(services.reduce((sum, service) => sum + (meter.used[service] ?? 0), 0) / microPerCredit);
}

function perService(value: (service: ServiceName) => number) {
  return {
    translation: value('translation'),
    audio: value('audio'),
    voice_call: value('voice_call'),
    sms: value('sms'),
  };
}
