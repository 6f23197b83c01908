import fc from 'fast-check';
import { highestRate, type Price, type Rates, type ServicePrice, type Tokens } from './price-model.ts';

/** An offer file, and its prices in exact integers that the service has not parsed. */
export interface DrawnOffer {
  readonly file: object;
  readonly models: readonly DrawnModel[];
  readonly services: Readonly<Record<'chat' | 'completion' | 'embeddings', ServicePrice>>;
  /** Microcredits that an account starts with: those of a free plan. */
  readonly grant: bigint;
}

export interface DrawnModel {
  readonly id: string;
  readonly window: number;
  readonly maxOutput: number;
  /** Undefined for the price of the service. */
  readonly price: Rates | undefined;
  /** The price from `changeDay` on. */
  readonly changed: Rates | undefined;
}

export const changeDay = '2027-03-02';

export type Draw = fc.GeneratorValue;
const max = BigInt(Number.MAX_SAFE_INTEGER);

/** An amount as a number or a string with at most six decimals. */
function written(g: Draw, millionths: bigint): number | string {
  const digits = String(millionths).padStart(7, '0');
  const text = `${digits.slice(0, -6)}.${digits.slice(-6)}`.replace(/\.?0+$/, '');
  const isExact = BigInt(Math.round(Number(text) * 1e6)) === millionths && millionths < 10n ** 12n;
  return isExact && g(fc.boolean) ? Number(text) : text;
}

const upTo = (g: Draw, most: bigint): bigint => g(fc.bigInt, { min: 0n, max: most });

/** Rates from 0 to the maximum for the window. */
function ratesOf(g: Draw, window: number): Rates {
  const largest = (max * 1_000_000n) / BigInt(window);
  const cap = largest < max ? largest : max;
  const rate = () => {
    const drawn = g(fc.constantFrom, 0n, 1n, cap, upTo(g, 999_999n), upTo(g, 20_000_000n), upTo(g, 5_000_000_000n));
    return drawn < cap ? drawn : cap;
  };
  const rates = { input: rate(), cachedInput: rate(), cacheWrite: rate(), output: rate() };
  const left = max - (BigInt(window) * highestRate({ perRequest: 0n, ...rates })) / 1_000_000n;
  const perRequest = g(fc.constantFrom, 0n, 1n, upTo(g, 3_000_000n), left);
  return { ...rates, perRequest: perRequest < left ? perRequest : left };
}

/** The fields of a price. Those that equal their default may be absent. */
function priceFields(g: Draw, rates: Rates): object {
  const { perRequest, input, cachedInput, cacheWrite, output } = rates;
  const fields = Object.entries({ perRequest, cachedInput, cacheWrite, output });
  const isDefault: Record<string, boolean> = {
    perRequest: perRequest === 0n,
    cachedInput: cachedInput === input,
    cacheWrite: cacheWrite === input,
    output: output === 0n,
  };
  const given = fields.filter(([name]) => !isDefault[name] || g(fc.boolean));
  return Object.fromEntries([['input', input] as const, ...given].map(([name, rate]) => [name, written(g, rate)]));
}

function modelOf(g: Draw, index: number): readonly [DrawnModel, object] {
  const window = g(fc.constantFrom, 4096, 10_000, 200_000, 100_000_000);
  const maxOutput = g(fc.constantFrom, window, window, 2000, 300, 60);
  const price = g(fc.nat, 4) > 0 ? ratesOf(g, window) : undefined;
  const changed = g(fc.nat, 2) === 0 ? ratesOf(g, window) : undefined;
  const id = `model-${index}`;
  const file = {
    id,
    capabilities: ['chat', 'completion', 'embeddings'],
    contextWindow: window,
    ...(maxOutput < window && { maxOutputTokens: maxOutput }),
    dimensions: 1,
    endpoints: [{ kind: 'openai', url: 'https://models.example/v1', model: id }],
    ...(price && { price: priceFields(g, price) }),
    ...(changed && { priceChanges: [{ effectiveFrom: changeDay, ...priceFields(g, changed) }] }),
  };
  return [{ id, window, maxOutput, price, changed }, file];
}

export function drawOffer(g: Draw): DrawnOffer {
  const models = Array.from({ length: g(fc.integer, { min: 1, max: 3 }) }, (_, index) => modelOf(g, index));
  const service = () => g(fc.constantFrom, 0n, 1n, 100n, 1_000_000n, 7_654_321n, 9_007_000_000n);
  const [chat, completion, embeddings] = [service(), service(), service()];
  const creditsPerMonth = g(fc.constantFrom, 0, 1, 100, 1_000_000_000);
  const isFree = g(fc.nat, 2) > 0;
  const plan = { priceUsd: null, callsPerMinute: null, maxConcurrentCalls: g(fc.integer, { min: 20, max: 1000 }) };
  const file = {
    version: g(fc.integer, { min: 1, max: 1_000_000_000 }),
    models: models.map(([, model]) => model),
    services: { chat: written(g, chat), completion: written(g, completion), embeddings: written(g, embeddings) },
    plans: [
      { ...plan, name: 'small', creditsPerMonth, priceUsd: isFree ? 0 : null },
      { ...plan, name: 'large', creditsPerMonth: null },
    ].slice(0, g(fc.integer, { min: 1, max: 2 })),
    packs: [{ id: 'pack', credits: g(fc.integer, { min: 1, max: 1_000_000_000 }), priceUsd: 5 }],
  };
  return {
    file,
    models: models.map(([model]) => model),
    services: {
      chat: { perCall: chat },
      completion: { micro: completion, units: 1000n },
      embeddings: { micro: embeddings, units: 10_000n },
    },
    grant: isFree ? BigInt(creditsPerMonth) * 1_000_000n : 0n,
  };
}

export const priceOn = (model: DrawnModel, isChanged: boolean): Rates | undefined =>
  (isChanged ? model.changed : undefined) ?? model.price;

export const priceFor = (offer: DrawnOffer, rates: Rates | undefined, kind: keyof DrawnOffer['services']): Price =>
  rates ?? offer.services[kind];

/** Usage as sent by a model. `tokens` is undefined if it is missing or unreadable. */
export interface DrawnReport {
  readonly raw: unknown;
  readonly tokens: Tokens | undefined;
}

/** Usage of embeddings: input only. */
export function drawInputReport(g: Draw, maxInput: number): DrawnReport {
  const { raw, tokens } = drawReport(g, maxInput, 0);
  const isOpenAi = typeof raw === 'object' && raw !== null && 'prompt_tokens' in raw;
  return { raw, tokens: isOpenAi && tokens ? { ...tokens, cached: 0, written: 0, output: 0 } : undefined };
}

/** Usage in OpenAI's or Anthropic's form: possible, impossible or missing. */
export function drawReport(g: Draw, maxInput: number, maxOutput: number): DrawnReport {
  const most = Math.min(maxInput, 5000);
  const wrong = () => g(fc.constantFrom, 0, -1, 1.5, Number.NaN, 2 ** 60, maxInput, maxInput + 1, maxOutput + 1);
  const count = (possible: number) =>
    g(fc.nat, 9) === 0 ? wrong() : g(fc.nat, Math.min(Math.max(0, Math.floor(possible)), 1_000_000));
  const input = count(most);
  const output = g(fc.nat, 4) === 0 ? maxOutput : count(maxOutput);
  const cached = g(fc.boolean) ? count(input || 0) : 0;
  const form = g(fc.nat, 9);
  if (form === 0) return { raw: g(fc.constantFrom, undefined, null, {}, 'none', [], 7), tokens: undefined };
  if (form < 5) {
    const details = cached !== 0 && { prompt_tokens_details: { cached_tokens: cached } };
    const raw = { prompt_tokens: input, completion_tokens: output, total_tokens: 1, ...details };
    return { raw, tokens: { input, cached, written: 0, output } };
  }
  const created = g(fc.boolean) ? count(input - cached || 0) : 0;
  const raw = {
    input_tokens: input - cached - created,
    output_tokens: output,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: created,
  };
  return { raw, tokens: { input, cached, written: created, output } };
}
