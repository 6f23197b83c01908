import { unitCost, unitPriceOf } from '#contract/billing/prices.ts';

/** Price in microcredits of tokens of a service without a model's own price. */
export const tokenPrice = (service: 'completion' | 'embeddings', tokens: number): number =>
  unitCost(unitPriceOf(service), tokens);
