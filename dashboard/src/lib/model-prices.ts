import { microPerCredit, prices, type ServiceName } from '#contract/billing/prices.ts';
import { type Model, priceAt } from '#contract/inference/models.ts';
import type { Capability, ModelPrice } from '#contract/offer/offer.ts';
import { serviceOf } from '#contract/offered-services.ts';
import { creditCount, formatCredits, formatWhole } from './format.ts';

export const capabilityTitles: Readonly<Record<Capability, string>> = {
  chat: 'Chat',
  completion: 'Completion',
  embeddings: 'Embeddings',
  speech: 'Text-to-speech',
  transcription: 'Transcription',
};

/** The price in lines: "2 credits per million input tokens", or "1 credit per chat completion". */
export function priceLines(model: Model, now: number): string[] {
  const price = priceAt(model, now);
  return price
    ? rateLines(inCredits(price))
    : [...new Set(model.capabilities.map((one) => serviceLine(serviceOf[one])))];
}

type Rates = Readonly<Record<keyof ModelPrice, number>>;

export const inCredits = ({ perRequest, input, cachedInput, cacheWrite, output }: ModelPrice): Rates => ({
  perRequest: perRequest / microPerCredit,
  input: input / microPerCredit,
  cachedInput: cachedInput / microPerCredit,
  cacheWrite: cacheWrite / microPerCredit,
  output: output / microPerCredit,
});

/** Rates in credits per request and per million tokens. */
export function rateLines({ perRequest, input, cachedInput, cacheWrite, output }: Rates): string[] {
  const rates: readonly (readonly [amount: number, text: string, isShown: boolean])[] = [
    [perRequest, 'per request', perRequest > 0],
    [input, 'per million input tokens', input > 0],
    [cachedInput, 'per million cached input tokens', cachedInput !== input],
    [cacheWrite, 'per million input tokens written to the cache', cacheWrite !== input],
    [output, 'per million output tokens', output > 0],
  ];
  const lines = rates
    .filter(([, , isShown]) => isShown)
    .map(([amount, text]) => `${creditCount(amount, formatCredits)} ${text}`);
  return lines.length > 0 ? lines : ['Free'];
}

/** The rates in one line: "2 in, 0.5 cached, 8 out per million tokens". */
export function rateText({ perRequest, input, cachedInput, cacheWrite, output }: Rates): string {
  const rates = [
    `${formatCredits(input)} in`,
    ...(cachedInput === input ? [] : [`${formatCredits(cachedInput)} cached`]),
    ...(cacheWrite === input ? [] : [`${formatCredits(cacheWrite)} written to the cache`]),
    `${formatCredits(output)} out`,
  ];
  const perMillion = input + cachedInput + cacheWrite + output > 0 ? `${rates.join(', ')} per million tokens` : '';
  const fixed = perRequest > 0 ? `${creditCount(perRequest, formatCredits)} per request` : '';
  return [fixed, perMillion].filter(Boolean).join(', ') || 'Free';
}

const units: Readonly<Partial<Record<ServiceName, string>>> = { chat: 'chat completion' };

export function serviceLine(service: ServiceName): string {
  const { credits, unit, unitSize } = prices[service];
  const name = units[service] ?? unit;
  const amount = creditCount(credits, formatCredits);
  return unitSize === 1 ? `${amount} per ${name}` : `${amount} per ${formatWhole(unitSize)} ${name}s`;
}

/** Orders models by price: the cost of a million tokens of each kind, or of one unit of the service. */
export function priceRank(model: Model, now: number): number {
  const price = priceAt(model, now);
  if (price) return (price.input + price.output) / microPerCredit + price.perRequest;
  const [first = 'chat'] = model.capabilities;
  return prices[serviceOf[first]].credits;
}
