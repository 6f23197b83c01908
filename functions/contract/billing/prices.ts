import { type Model, priceAt } from '../inference/models.ts';
import { offer } from '../offer/current-offer.ts';
import type { OfferedService, ModelPrice } from '../offer/offer.ts';

/**
 * Credits are stored as integer microcredits. The lowest price, that of one embeddings token, is a 10,000th of a
 * credit, so every charge is exact and only displayed values are rounded (docs/adr/0001-microcredits.md).
 */
export const microPerCredit = 1_000_000;

/** Maximum that JavaScript can represent exactly in microcredits. */
export const maxCredits = Math.floor(Number.MAX_SAFE_INTEGER / microPerCredit);

/**
 * Price of a service: `credits` per started or metered `unitSize` of `unit` (docs/specification.md#credits,
 * docs/guides/plans-and-limits.md#prices).
 */
export interface Price {
  readonly unit: 'word' | 'request' | 'character' | 'message' | 'token' | 'second';
  readonly unitSize: number;
  readonly credits: number;
  readonly description: string;
}

const creditsOf = (service: OfferedService): number => offer.services[service] / microPerCredit;

const listed = {
  translation: {
    unit: 'word',
    unitSize: 100,
    credits: creditsOf('translation'),
    description: 'Translation, per started 100 words',
  },
  text_analysis: {
    unit: 'request',
    unitSize: 1,
    credits: creditsOf('analysis'),
    description: 'Text analysis, per request',
  },
  audio: {
    unit: 'character',
    unitSize: 1000,
    credits: creditsOf('speech'),
    description: 'Text-to-speech, per started 1,000 characters',
  },
  transcription: {
    unit: 'second',
    unitSize: 10,
    credits: creditsOf('transcription'),
    description: 'Voice recognition, per started second',
  },
  voice_call: { unit: 'message', unitSize: 1, credits: creditsOf('messages'), description: 'Voice call, per message' },
  sms: { unit: 'message', unitSize: 1, credits: creditsOf('messages'), description: 'SMS, per message' },
  chat: { unit: 'message', unitSize: 1, credits: creditsOf('chat'), description: 'Chat, per completion' },
  completion: {
    unit: 'token',
    unitSize: 1000,
    credits: creditsOf('completion'),
    description: 'Text completion, per token',
  },
  embeddings: {
    unit: 'token',
    unitSize: 10_000,
    credits: creditsOf('embeddings'),
    description: 'Embeddings, per input token',
  },
} satisfies Record<string, Price>;

/** Service names for charges. Ledger rows and statements store them, so they never change. */
export type ServiceName = keyof typeof listed;
export const prices: Readonly<Record<ServiceName, Price>> = listed;
export const isServiceName = (name: string): name is ServiceName => Object.hasOwn(prices, name);
export const serviceNames = Object.keys(prices).filter(isServiceName);

/** Price of a service, such as `1 credit per 1,000 tokens`. */
export function priceText(service: ServiceName): string {
  const { credits, unit, unitSize, description } = prices[service];
  const per = description.slice(description.indexOf(', ') + 2);
  const many = per.replace('per ', `per ${unitSize.toLocaleString('en')} `).replace(unit, `${unit}s`);
  // "per started 100 words" already includes the size.
  return `${credits} ${credits === 1 ? 'credit' : 'credits'} ${unitSize === 1 || /\d/.test(per) ? per : many}`;
}

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

/** Microcredits per unit size. An offer's credits have at most six decimals. */
export const microOf = (service: ServiceName): number => Math.round(prices[service].credits * microPerCredit);

export const unitPriceOf = (service: ServiceName): UnitPrice => ({
  micro: microOf(service),
  unitSize: prices[service].unitSize,
});

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
  return unitCost(unitPriceOf(service), prices[service].unit === 'token' ? use.input + use.output : 1);
}
