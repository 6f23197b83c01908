import { microPerCredit, prices, type ServiceName } from '#contract/prices.ts';

/** What one call of a service with a fixed price per message or request costs, in microcredits. */
export function fixedPrice(service: ServiceName): number {
  const price = prices[service];
  if (price.unitSize !== 1) throw new Error(`${service} has no fixed price`);
  return price.credits * microPerCredit;
}
