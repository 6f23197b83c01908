import { microPerCredit, prices, type ServiceName } from '#contract/billing/prices.ts';
import type { RateLimit } from '../shared/service-error.ts';

/** What tokens of a service cost that is metered to the single token, in microcredits. */
export function tokenPrice(service: 'completion' | 'embeddings', tokens: number): number {
  return unitPrice(service, tokens);
}

/** What audio costs that is metered by started seconds, in microcredits. */
export function secondPrice(service: 'transcription', seconds: number): number {
  return unitPrice(service, Math.max(1, Math.ceil(seconds)));
}

/** The seconds that so many microcredits pay. */
export function secondsPaid(service: 'transcription', amount: number): number {
  return Math.floor(amount / unitPrice(service, 1));
}

function unitPrice(service: ServiceName, units: number): number {
  const { unitSize, credits } = prices[service];
  return (units * credits * microPerCredit) / unitSize;
}

/** What one call of a service with a fixed price per message or request costs, in microcredits. */
export function fixedPrice(service: ServiceName): number {
  const price = prices[service];
  if (price.unitSize !== 1) throw new Error(`${service} has no fixed price`);
  return price.credits * microPerCredit;
}

/** What `units` of a service cost that is charged by the started unit size (words, characters), in microcredits. */
export function pricePerStarted(service: ServiceName, units: number): number {
  const { unit, unitSize, credits } = prices[service];
  if (unit === 'token' || unit === 'second') throw new Error(`${service} is metered to the single ${unit}`);
  return Math.ceil(units / unitSize) * credits * microPerCredit;
}

/** What a priced call's response reports. Amounts in microcredits. */
export interface Receipt {
  readonly rateLimit?: RateLimit | undefined;
  /** Of a call whose cost is not known yet. */
  readonly held?: number;
  readonly charged?: number;
  readonly remaining?: number;
  /** Of the key's limit. */
  readonly keyRemaining?: number;
}

/** Microcredits as a decimal number of credits without trailing zeros, exactly. */
export function decimalCredits(micro: number): string {
  const whole = Math.floor(micro / microPerCredit);
  const fraction = String(micro % microPerCredit)
    .padStart(6, '0')
    .replace(/(?<!0)0+$/, '');
  return fraction ? `${whole}.${fraction}` : String(whole);
}
