import { microPerCredit, prices, type ServiceName } from '#contract/billing/prices.ts';

/** What tokens of a service cost that is metered to the single token, in microcredits. */
export function tokenPrice(service: 'completion' | 'embeddings', tokens: number): number {
  const { unitSize, credits } = prices[service];
  return (tokens * credits * microPerCredit) / unitSize;
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
  if (unit === 'token') throw new Error(`${service} is metered to the single token`);
  return Math.ceil(units / unitSize) * credits * microPerCredit;
}
