/**
 * Prices of calls by hand, based only on docs/offer.md#prices and docs/credits.md#calls. Exact integers: credits are
 * microcredits, rates are millionths of a microcredit per token.
 */
export interface Rates {
  readonly perRequest: bigint;
  readonly input: bigint;
  readonly cachedInput: bigint;
  readonly cacheWrite: bigint;
  readonly output: bigint;
}

/** A service's price: microcredits per `units` tokens, or per call. */
export type ServicePrice = { readonly micro: bigint; readonly units: bigint } | { readonly perCall: bigint };
export type Price = Rates | ServicePrice;

/** `cached` and `written` are parts of `input`. */
export interface Tokens {
  readonly input: number;
  readonly cached: number;
  readonly written: number;
  readonly output: number;
}

const million = 1_000_000n;
const roundedUp = (amount: bigint, unit: bigint): bigint => amount / unit + (amount % unit > 0n ? 1n : 0n);
const highest = (...rates: readonly bigint[]): bigint => rates.reduce((one, other) => (one > other ? one : other));

const highestInput = ({ input, cachedInput, cacheWrite }: Rates): bigint => highest(input, cachedInput, cacheWrite);
export const highestRate = (rates: Rates): bigint => highest(highestInput(rates), rates.output);

export function priceByHand(price: Price, { input, cached, written, output }: Tokens): bigint {
  if ('perCall' in price) return price.perCall;
  if ('units' in price) return roundedUp(BigInt(input + output) * price.micro, price.units);
  const plain = BigInt(input - cached - written) * price.input;
  const cache = BigInt(cached) * price.cachedInput + BigInt(written) * price.cacheWrite;
  return roundedUp(price.perRequest * million + plain + cache + BigInt(output) * price.output, million);
}

export interface Request {
  readonly kind: 'chat' | 'completion' | 'embeddings';
  /** Upper bound of the prompt's tokens, including those of a chat template. */
  readonly bytes: number;
  /** The prompt's tokens, including those of a chat template. */
  readonly tokens: number;
  /** Tokens of the prompt's text only. */
  readonly counted: number;
  /** Maximum tokens that a report may contain for the prompt. */
  readonly maxReported: number;
  /** Output that the call may make. */
  readonly output: number;
  readonly hasMaxTokens: boolean;
}

export interface Held {
  readonly amount: bigint;
  readonly output: number;
}

function maxPrice(price: Price, input: number, output: number): bigint {
  const written = { input, cached: 0, written: 0, output };
  return priceByHand('input' in price ? { ...price, input: highestInput(price) } : price, written);
}

/** The hold of a call. Undefined if the credits do not cover it. */
export function holdByHand(price: Price, request: Request, spendable: bigint): Held | undefined {
  const { kind, bytes, tokens, output, hasMaxTokens } = request;
  const whole = maxPrice(price, bytes, output);
  if (whole <= spendable) return { amount: whole, output };
  const smaller = (room: number) => ({ amount: maxPrice(price, tokens, room), output: room });
  if (smaller(output).amount <= spendable) return smaller(output);
  if (kind === 'embeddings' || (kind === 'chat' && hasMaxTokens)) return undefined;
  // Bisection, because the inverse of the price is the code under test.
  let [fits, tooMuch] = [0, output];
  while (tooMuch - fits > 1) {
    const middle = Math.floor((fits + tooMuch) / 2);
    if (smaller(middle).amount <= spendable) fits = middle;
    else tooMuch = middle;
  }
  const least = 'input' in price ? Math.min(256, output) : 1;
  return fits >= least ? smaller(fits) : undefined;
}

type Bounds = Pick<Tokens, 'input' | 'output'>;

function isPossible({ input, cached, written, output }: Tokens, most: Bounds, least: Bounds): boolean {
  const counts = [input, cached, written, output];
  return (
    counts.every((count) => Number.isInteger(count) && count >= 0) &&
    cached + written <= input &&
    input >= least.input &&
    input <= most.input &&
    output >= least.output &&
    output <= most.output
  );
}

/** A model's answer as delivered. Vectors count as text without tokens. */
export interface Outcome {
  readonly hasText: boolean;
  /** Tokens of the delivered text. */
  readonly delivered: number;
  readonly isWhole: boolean;
  /** Usage reports, in order of precedence. */
  readonly reports: readonly (Tokens | undefined)[];
}

/** The charge of a call that was held: by the first possible report, or else by our own count, at most the hold. */
export function chargeByHand(
  price: Price,
  { kind, maxReported, counted }: Request,
  held: Held,
  { hasText, delivered, isWhole, reports }: Outcome,
): bigint {
  if (!isWhole && !hasText) return 0n;
  const least = { input: hasText ? 1 : 0, output: hasText && kind !== 'embeddings' ? 1 : 0 };
  const possible = (report: Tokens | undefined) =>
    report !== undefined && isPossible(report, { input: maxReported, output: held.output }, least);
  const ownCount = { input: counted, cached: 0, written: 0, output: Math.min(delivered, held.output) };
  const cost = priceByHand(price, reports.find(possible) ?? ownCount);
  return cost < held.amount ? cost : held.amount;
}
