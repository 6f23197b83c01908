import { unitCost, type UnitPrice } from '#contract/billing/cost.ts';
import { microPerCredit, prices, type ServiceName } from '#contract/billing/prices.ts';
import type { RateLimit } from '../shared/service-error.ts';

/** Price in microcredits of a service metered by the single token. */
export function tokenPrice(service: 'completion' | 'embeddings', tokens: number): number {
  return unitCost(unitPriceOf(service), tokens);
}

export const unitPriceOf = (service: ServiceName): UnitPrice => {
  return { micro: microOf(service), unitSize: prices[service].unitSize };
};

/** Price in microcredits of audio, per started second. A job passes the price that it was charged by. */
export function secondPrice(service: 'transcription', seconds: number, price = unitPriceOf(service)): number {
  return unitCost(price, Math.max(1, Math.ceil(seconds)));
}

export const secondsPaid = (service: 'transcription', amount: number, price = unitPriceOf(service)): number =>
  unitsPaid(price, amount);

/** The most units that an amount of microcredits pays, the inverse of `unitCost`. */
export function unitsPaid({ micro, unitSize }: UnitPrice, amount: number): number {
  if (micro === 0) return Number.MAX_SAFE_INTEGER;
  return Number((BigInt(amount) * BigInt(unitSize)) / BigInt(micro));
}

/** An offer's credits have at most six decimals. */
const microOf = (service: ServiceName): number => Math.round(prices[service].credits * microPerCredit);

/** Price in microcredits of a service with a fixed price per message or request. */
export function fixedPrice(service: ServiceName): number {
  const price = prices[service];
  if (price.unitSize !== 1) throw new Error(`${service} has no fixed price`);
  return microOf(service);
}

/** Price in microcredits of a service charged per started unit size (words, characters). */
export function pricePerStarted(service: ServiceName, units: number): number {
  const { unit, unitSize } = prices[service];
  if (unit === 'token' || unit === 'second') throw new Error(`${service} is metered to the single ${unit}`);
  return Math.ceil(units / unitSize) * microOf(service);
}

export interface Receipt {
  readonly rateLimit?: RateLimit | undefined;
  readonly held?: number;
  readonly charged?: number;
  readonly remaining?: number;
  readonly keyRemaining?: number;
}

/** Formats microcredits as an exact decimal number of credits without trailing zeros. */
export function decimalCredits(micro: number): string {
  const whole = Math.floor(micro / microPerCredit);
  const fraction = String(micro % microPerCredit)
    .padStart(6, '0')
    .replace(/(?<!0)0+$/, '');
  return fraction ? `${whole}.${fraction}` : String(whole);
}
