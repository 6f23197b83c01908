import { findModel } from '#contract/inference/models.ts';
import type { ModelPrice } from '#contract/offer/offer.ts';
import { fixedPrice, tokenPrice, unitsWithin } from '../meter/pricing.ts';
import type { ModelUsage } from './model-stream.ts';

/** How a call of a model is charged. Amounts in microcredits (docs/offer.md#prices). */
export interface Tariff {
  readonly isByTokens: boolean;
  cost(usage: ModelUsage): number;
  /** The most that so many tokens cost, whatever part of the input is cached. */
  max(input: number, output: number): number;
  /** The most input tokens that a budget pays. */
  inputWithin(budget: number): number;
  /** The most output tokens that a budget pays beside the input; negative if it does not pay the input. */
  outputWithin(budget: number, input: number): number;
  /** Fewest output tokens that a call is reduced to, if its caller did not choose `max_tokens`. */
  readonly minOutput: number;
}

/** The model's price, or else the service's. */
export function tariffOf(model: string, capability: 'chat' | 'completion' | 'embeddings'): Tariff {
  const price = findModel(model, capability)?.price;
  if (price) return modelTariff(price);
  return capability === 'chat' ? perChat : perToken(capability);
}

const perChat: Tariff = {
  isByTokens: false,
  cost: () => fixedPrice('chat'),
  max: () => fixedPrice('chat'),
  inputWithin: (budget) => (budget < fixedPrice('chat') ? 0 : Number.POSITIVE_INFINITY),
  outputWithin: (budget) => (budget < fixedPrice('chat') ? -1 : Number.POSITIVE_INFINITY),
  minOutput: 1,
};

function perToken(service: 'completion' | 'embeddings'): Tariff {
  const tokensFor = (budget: number): number => unitsWithin(service, budget);
  return {
    isByTokens: true,
    cost: ({ prompt_tokens, completion_tokens }) => tokenPrice(service, prompt_tokens + completion_tokens),
    max: (input, output) => tokenPrice(service, input + output),
    inputWithin: tokensFor,
    outputWithin: (budget, input) => tokensFor(budget) - input,
    minOutput: 1,
  };
}

const perMicrocredit = 1_000_000n;

/** Exact, because rates times tokens can exceed 2^53. Rounded up once per call. */
export function modelTariff(price: ModelPrice): Tariff {
  const perRequest = BigInt(price.perRequest) * perMicrocredit;
  const highestInput = BigInt(Math.max(price.input, price.cachedInput, price.cacheWrite));
  const output = BigInt(price.output);

  return {
    isByTokens: price.input + price.cachedInput + price.cacheWrite + price.output > 0,
    cost({ prompt_tokens, completion_tokens, cached_tokens = 0, cache_write_tokens = 0 }) {
      const plain = BigInt(prompt_tokens - cached_tokens - cache_write_tokens) * BigInt(price.input);
      const cached = BigInt(cached_tokens) * BigInt(price.cachedInput);
      const written = BigInt(cache_write_tokens) * BigInt(price.cacheWrite);
      return roundedUp(perRequest + plain + cached + written + BigInt(completion_tokens) * output);
    },
    max: (input, tokens) => roundedUp(perRequest + BigInt(input) * highestInput + BigInt(tokens) * output),
    inputWithin: (budget) => tokensWithin(BigInt(budget) * perMicrocredit - perRequest, highestInput),
    outputWithin(budget, input) {
      return tokensWithin(BigInt(budget) * perMicrocredit - perRequest - BigInt(input) * highestInput, output);
    },
    minOutput: 256,
  };
}

const roundedUp = (millionths: bigint): number => Number((millionths + perMicrocredit - 1n) / perMicrocredit);

function tokensWithin(millionths: bigint, rate: bigint): number {
  if (millionths < 0n) return -1;
  return rate === 0n ? Number.POSITIVE_INFINITY : Number(millionths / rate);
}
