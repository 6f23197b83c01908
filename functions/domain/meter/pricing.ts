import {
  microOf,
  microPerCredit,
  prices,
  type ServiceName,
  unitCost,
  type UnitPrice,
  unitPriceOf,
} from '#contract/billing/prices.ts';
import type { ModelPrice } from '#contract/offer/offer.ts';
import type { RateLimit } from '../shared/service-error.ts';

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

/**
 * The price of a charge, as ledger rows store it: numbers in base 36, separated by dots. Two are a service's
 * microcredits and units, five a model's rates. Contains no space.
 */
export type PriceCode = string;

const encoded = (numbers: readonly number[]): PriceCode => numbers.map((number) => number.toString(36)).join('.');

export function codeOfService(service: ServiceName): PriceCode {
  const { micro, unitSize } = unitPriceOf(service);
  return encoded([micro, unitSize]);
}

export const codeOfModel = ({ perRequest, input, cachedInput, cacheWrite, output }: ModelPrice): PriceCode =>
  encoded([perRequest, input, cachedInput, cacheWrite, output]);

/** Returns undefined for a code that this version cannot read. */
export function priceOfCode(code: PriceCode): UnitPrice | ModelPrice | undefined {
  const numbers = code.split('.').map((text) => Number.parseInt(text, 36));
  if (!numbers.every((number) => Number.isSafeInteger(number) && number >= 0)) return undefined;
  const [first = 0, second = 0, cachedInput = 0, cacheWrite = 0, output = 0] = numbers;
  if (numbers.length === 2 && second > 0) return { micro: first, unitSize: second };
  if (numbers.length === 5) return { perRequest: first, input: second, cachedInput, cacheWrite, output };
  return undefined;
}

/** Undefined for a charge before prices were stored. */
export function unitPriceOfCode(code: PriceCode | undefined): UnitPrice | undefined {
  const price = code === undefined ? undefined : priceOfCode(code);
  return price && 'micro' in price ? price : undefined;
}

/** The price of a charge as callers see it: credits per units, or per request and per million tokens. */
export function priceView(code: PriceCode, service: ServiceName) {
  const price = priceOfCode(code);
  if (!price) return undefined;
  const credits = (amount: number): number => amount / microPerCredit;
  if ('micro' in price) return { credits: credits(price.micro), unit: prices[service].unit, unitSize: price.unitSize };
  const { perRequest, input, cachedInput, cacheWrite, output } = price;
  return {
    perRequest: credits(perRequest),
    input: credits(input),
    cachedInput: credits(cachedInput),
    cacheWrite: credits(cacheWrite),
    output: credits(output),
  };
}
