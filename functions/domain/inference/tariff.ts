import {
  perMicrocredit,
  roundedUp,
  tokenCost,
  unitCost,
  type UnitPrice,
  unitPriceOf,
} from '#contract/billing/prices.ts';
import { findModel, priceAt } from '#contract/inference/models.ts';
import type { ModelPrice } from '#contract/offer/offer.ts';
import { codeOfModel, codeOfService, fixedPrice, type PriceCode, priceOfCode, unitsPaid } from '../meter/pricing.ts';
import type { ModelUsage } from './model-stream.ts';

/** Prices the calls of a model. Amounts in microcredits (docs/offer.md#prices). */
export interface Tariff {
  readonly price: PriceCode;
  readonly isByTokens: boolean;
  cost(usage: ModelUsage): number;
  /** Maximum price of this many tokens, however many input tokens are cached. */
  max(input: number, output: number): number;
  /** Maximum input tokens that the budget covers. */
  inputWithin(budget: number): number;
  /** Maximum output tokens that the budget covers in addition to the input. Negative if it does not cover the input. */
  outputWithin(budget: number, input: number): number;
  /** Minimum output tokens to which a call may be reduced if its caller did not set `max_tokens`. */
  readonly minOutput: number;
}

type PricedCapability = 'chat' | 'completion' | 'embeddings';

/**
 * The price of the model at `now` (epoch ms), or that of the service. An order keeps its tariff until it is charged.
 */
export function tariffOf(model: string, capability: PricedCapability, now: number): Tariff {
  const found = findModel(model, capability);
  const price = found && priceAt(found, now);
  if (price) return modelTariff(price);
  return capability === 'chat' ? perChat : perToken(unitPriceOf(capability), codeOfService(capability));
}

/** The tariff of an earlier charge. Undefined for a charge before prices were stored. */
export function tariffOfCode(code: PriceCode | undefined): Tariff | undefined {
  const price = code === undefined ? undefined : priceOfCode(code);
  if (!price || code === undefined) return undefined;
  return 'micro' in price ? perToken(price, code) : modelTariff(price);
}

const perChat: Tariff = {
  price: codeOfService('chat'),
  isByTokens: false,
  cost: () => fixedPrice('chat'),
  max: () => fixedPrice('chat'),
  inputWithin: (budget) => (budget < fixedPrice('chat') ? 0 : Number.POSITIVE_INFINITY),
  outputWithin: (budget) => (budget < fixedPrice('chat') ? -1 : Number.POSITIVE_INFINITY),
  minOutput: 1,
};

function perToken(unit: UnitPrice, price: PriceCode): Tariff {
  const tokensFor = (budget: number): number => unitsPaid(unit, budget);
  return {
    price,
    isByTokens: true,
    cost: ({ prompt_tokens, completion_tokens }) => unitCost(unit, prompt_tokens + completion_tokens),
    max: (input, output) => unitCost(unit, input + output),
    inputWithin: tokensFor,
    outputWithin: (budget, input) => tokensFor(budget) - input,
    minOutput: 1,
  };
}

export function modelTariff(price: ModelPrice): Tariff {
  const perRequest = BigInt(price.perRequest) * perMicrocredit;
  const highestInput = BigInt(Math.max(price.input, price.cachedInput, price.cacheWrite));
  const output = BigInt(price.output);

  return {
    price: codeOfModel(price),
    isByTokens: price.input + price.cachedInput + price.cacheWrite + price.output > 0,
    cost({
      prompt_tokens: input,
      completion_tokens: tokens,
      cached_tokens: cached = 0,
      cache_write_tokens: written = 0,
    }) {
      return tokenCost(price, { input, output: tokens, cached, written });
    },
    max: (input, tokens) => roundedUp(perRequest + BigInt(input) * highestInput + BigInt(tokens) * output),
    inputWithin: (budget) => tokensWithin(BigInt(budget) * perMicrocredit - perRequest, highestInput),
    outputWithin(budget, input) {
      return tokensWithin(BigInt(budget) * perMicrocredit - perRequest - BigInt(input) * highestInput, output);
    },
    minOutput: 256,
  };
}

function tokensWithin(millionths: bigint, rate: bigint): number {
  if (millionths < 0n) return -1;
  return rate === 0n ? Number.POSITIVE_INFINITY : Number(millionths / rate);
}
