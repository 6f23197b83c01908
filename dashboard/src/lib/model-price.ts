import { priceText, type ServiceName } from '#contract/billing/prices.ts';
import type { Capability, OfferedModel } from '#contract/offer/offer.ts';
import { creditCount, formatCredits } from './format.ts';
import { serviceTitle } from './names.ts';

/** Service whose price applies to a model without its own, by capability. */
const serviceOf: Readonly<Record<Capability, ServiceName>> = {
  chat: 'chat',
  completion: 'completion',
  embeddings: 'embeddings',
  speech: 'audio',
  transcription: 'transcription',
};

export const capabilityTitle = (capability: Capability): string => serviceTitle(serviceOf[capability]);

const millionths = 1_000_000;

/** Prices of a model in words, such as `2 credits per million input tokens`. */
export function modelPrices({ price, capabilities }: Pick<OfferedModel, 'price' | 'capabilities'>): string[] {
  if (price === null) return servicePrices(capabilities);
  const { perRequest, input, cachedInput, cacheWrite, output } = price;
  const rate = (value: number, unit: string): string => `${creditCount(value / millionths, formatCredits)} per ${unit}`;
  const texts = [
    ...(perRequest > 0 ? [rate(perRequest, 'request')] : []),
    ...(input > 0 ? [rate(input, 'million input tokens')] : []),
    ...(cachedInput === input ? [] : [rate(cachedInput, 'million cached input tokens')]),
    ...(cacheWrite === input ? [] : [rate(cacheWrite, 'million input tokens written to the cache')]),
    ...(output > 0 ? [rate(output, 'million output tokens')] : []),
  ];
  return texts.length > 0 ? texts : ['Free'];
}

/** Names the capability only if the model has several. */
const servicePrices = (capabilities: readonly Capability[]): string[] =>
  capabilities.map((capability) => {
    const text = priceText(serviceOf[capability]);
    return capabilities.length > 1 ? `${capabilityTitle(capability)}: ${text}` : text;
  });

/** Whether a call of the service is charged by the service's price for at least one model. */
export const isPricedByService = (name: ServiceName, models: readonly OfferedModel[]): boolean =>
  models.some(({ price, capabilities }) => price === null && capabilities.some((one) => serviceOf[one] === name));
