import { select, t } from '@lingui/core/macro';
import { microPerCredit, prices, type ServiceName } from '#contract/billing/prices.ts';
import { type Model, priceAt } from '#contract/inference/models.ts';
import type { Capability, ModelPrice } from '#contract/offer/offer.ts';
import { serviceOf } from '#contract/offered-services.ts';
import { creditCount, formatCredits, formatItems, formatWhole } from './format.ts';
import { serviceTitle } from './offer.ts';

export const capabilityTitle = (capability: Capability): string => serviceTitle(serviceOf[capability]);

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
  const line = (rate: number, isShown: boolean, text: (amount: string) => string): string[] =>
    isShown ? [text(creditCount(rate, formatCredits))] : [];
  const lines = [
    ...line(perRequest, perRequest > 0, (amount) => t`${amount} per request`),
    ...line(input, input > 0, (amount) => t`${amount} per million input tokens`),
    ...line(cachedInput, cachedInput !== input, (amount) => t`${amount} per million cached input tokens`),
    ...line(cacheWrite, cacheWrite !== input, (amount) => t`${amount} per million input tokens written to the cache`),
    ...line(output, output > 0, (amount) => t`${amount} per million output tokens`),
  ];
  return lines.length > 0 ? lines : [t`Free`];
}

/** The rates in one line: "2 in, 0.5 cached, 8 out per million tokens". */
export function rateText({ perRequest, input, cachedInput, cacheWrite, output }: Rates): string {
  const part = (rate: number, text: (amount: string) => string): string => text(formatCredits(rate));
  const rates = formatItems([
    part(input, (amount) => t`${amount} in`),
    ...(cachedInput === input ? [] : [part(cachedInput, (amount) => t`${amount} cached`)]),
    ...(cacheWrite === input ? [] : [part(cacheWrite, (amount) => t`${amount} written to the cache`)]),
    part(output, (amount) => t`${amount} out`),
  ]);
  const perMillion = input + cachedInput + cacheWrite + output > 0 ? t`${rates} per million tokens` : '';
  const amount = creditCount(perRequest, formatCredits);
  return formatItems([perRequest > 0 ? t`${amount} per request` : '', perMillion].filter(Boolean)) || t`Free`;
}

export function serviceLine(service: ServiceName): string {
  const { credits, unitSize, ...price } = prices[service];
  const unit = service === 'chat' ? 'completion' : price.unit;
  const amount = creditCount(credits, formatCredits);
  const size = formatWhole(unitSize);
  return unitSize === 1
    ? t`${amount} per ${select(unit, {
        word: 'word',
        request: 'request',
        character: 'character',
        message: 'message',
        token: 'token',
        second: 'second',
        other: 'chat completion',
      })}`
    : t`${amount} per ${size} ${select(unit, {
        word: 'words',
        request: 'requests',
        character: 'characters',
        message: 'messages',
        token: 'tokens',
        second: 'seconds',
        other: 'chat completions',
      })}`;
}

/** Orders models by price: the cost of a million tokens of each kind, or of one unit of the service. */
export function priceRank(model: Model, now: number): number {
  const price = priceAt(model, now);
  if (price) return (price.input + price.output) / microPerCredit + price.perRequest;
  const [first = 'chat'] = model.capabilities;
  return prices[serviceOf[first]].credits;
}
