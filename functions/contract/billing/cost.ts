import { type Model, priceAt } from '../inference/models.ts';
import type { ModelPrice } from '../offer/offer.ts';
import { microPerCredit, prices } from './prices.ts';

/** Tokens of a call. `cached` and `written`: the parts of `input` read from a cache or written to one. */
export interface TokenUse {
  readonly input: number;
  readonly output: number;
  readonly cached?: number;
  readonly written?: number;
}

/** Rates are in millionths of a microcredit. */
export const perMicrocredit = 1_000_000n;

/** Microcredits of a call at a model's price. Exact, because rates times tokens can exceed 2^53. Rounded up once. */
export function tokenCost(price: ModelPrice, { input, output, cached = 0, written = 0 }: TokenUse): number {
  const plain = BigInt(input - cached - written) * BigInt(price.input);
  const fromCache = BigInt(cached) * BigInt(price.cachedInput);
  const toCache = BigInt(written) * BigInt(price.cacheWrite);
  const fixed = BigInt(price.perRequest) * perMicrocredit;
  return roundedUp(fixed + plain + fromCache + toCache + BigInt(output) * BigInt(price.output));
}

export const roundedUp = (millionths: bigint): number => Number((millionths + perMicrocredit - 1n) / perMicrocredit);

/** A service's price: `micro` microcredits per `unitSize` units. */
export interface UnitPrice {
  readonly micro: number;
  readonly unitSize: number;
}

export const unitCost = ({ micro, unitSize }: UnitPrice, units: number): number =>
  Math.ceil((units * micro) / unitSize);

/** Microcredits of a call at the model's price at `now` (epoch ms), or else at its service's. */
export function callCost(
  model: Pick<Model, 'price' | 'priceChanges'>,
  service: 'chat' | 'completion' | 'embeddings',
  use: TokenUse,
  now: number,
): number {
  const price = priceAt(model, now);
  if (price) return tokenCost(price, use);
  const { credits, unit, unitSize } = prices[service];
  const micro = Math.round(credits * microPerCredit);
  return unitCost({ micro, unitSize }, unit === 'token' ? use.input + use.output : 1);
}
