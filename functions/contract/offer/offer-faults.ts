import {
  bedrockRegion,
  type ModelPrice,
  type Offer,
  type OfferedEndpoint,
  type Model,
  servesCapability,
} from './offer.ts';
import { contrast, minContrast } from './palette.ts';

/** A fault of an offer file: `path` such as `models[1].price.input`, empty for the whole file. */
export interface OfferFault {
  readonly path: readonly (string | number)[];
  readonly expected: string;
}

/** Names used in the file, for error messages. */
interface GivenOffer {
  readonly models?: readonly { readonly minPlan?: string }[];
}

interface OfferChecks {
  readonly isLocal: boolean;
  readonly today: string;
}

const maxLogoBytes = 64 * 1024;
/** Not imported from the prices, because those read the offer in force. */
const microPerCredit = 1_000_000;

/** Finds faults in a complete offer that no schema of a single field can detect. */
export function* offerFaults(offer: Offer, given: GivenOffer, { isLocal, today }: OfferChecks): Iterable<OfferFault> {
  yield* planFaults(offer);
  yield* modelFaults(offer, given, isLocal);
  yield* useFaults(offer, today);
  yield* productFaults(offer);
}

function* planFaults({ plans, packs }: Offer): Iterable<OfferFault> {
  yield* repeated(plans.map((plan, at) => [plan.name, ['plans', at, 'name']]));
  for (const [at, { id }] of plans.entries())
    if (id <= (plans[at - 1]?.id ?? 0))
      yield {
        path: ['plans', at, 'id'],
        expected: 'must be larger than that of the previous plan: plans are sorted by rank',
      };
  for (const [at, { endsOn, replacedBy }] of plans.entries()) {
    const path = (field: string) => ['plans', at, field];
    if (endsOn !== null && at === 0)
      yield { path: path('endsOn'), expected: 'must be absent for the first plan, which limits every new account' };
    if ((endsOn === null) !== (replacedBy === null))
      yield { path: path(endsOn === null ? 'endsOn' : 'replacedBy'), expected: 'is required: endsOn needs replacedBy' };
    if (replacedBy !== null && !plans.some(({ name, endsOn: end }) => name === replacedBy && end === null))
      yield { path: path('replacedBy'), expected: 'must be the name of a plan that does not end' };
  }
  yield* repeated(packs.map((pack, at) => [pack.id, ['packs', at, 'id']]));
  const [first = 0, ...others] = plans.flatMap(({ priceUsd }, at) => (priceUsd === 0 ? [at] : []));
  for (const at of others)
    yield {
      path: ['plans', at, 'priceUsd'],
      expected: `must not be 0, because the plan ${plans[first]?.name} is free`,
    };
  for (const [at, { priceUsd }] of plans.entries()) {
    if (priceUsd !== null && priceUsd > 0 && priceUsd < smallestChargeUsd)
      yield { path: ['plans', at, 'priceUsd'], expected: `must be 0 or at least ${smallestChargeUsd} USD` };
  }
  if (first !== 0)
    yield { path: ['plans', first, 'priceUsd'], expected: 'must be 0 only for the first plan, which is the smallest' };
}

/** Stripe marks a smaller invoice as paid, and adds it to the next one (Stripe "Minimum charge amounts"). */
const smallestChargeUsd = 0.5;

function* repeated(names: readonly (readonly [string, OfferFault['path']])[]): Iterable<OfferFault> {
  const seen = new Set<string>();
  for (const [value, path] of names) {
    if (seen.has(value)) yield { path, expected: `must be unique; ${value} is used twice` };
    seen.add(value);
  }
}

function* modelFaults({ models, services }: Offer, given: GivenOffer, isLocal: boolean): Iterable<OfferFault> {
  yield* repeated(
    models.flatMap(({ id, aliases }, at) => [
      [id, ['models', at, 'id']] as const,
      ...aliases.map((alias, index) => [alias, ['models', at, 'aliases', index]] as const),
    ]),
  );
  for (const [at, model] of models.entries()) {
    const path = (...rest: (string | number)[]) => ['models', at, ...rest];
    if (model.minPlanRank === 0)
      yield {
        path: path('minPlan'),
        expected: `must be the name of a plan; ${given.models?.[at]?.minPlan} is not one`,
      };
    if (model.maxOutputTokens > model.contextWindow)
      yield { path: path('maxOutputTokens'), expected: 'must not exceed contextWindow' };
    if (model.capabilities.includes('embeddings') && model.dimensions === null)
      yield { path: path('dimensions'), expected: 'is required for a model with embeddings' };
    if (model.replacedBy !== null) {
      if (!models.some(({ id }) => id === model.replacedBy))
        yield { path: path('replacedBy'), expected: 'must be the id of another model' };
      else if (isInCycle(model, models))
        yield { path: path('replacedBy'), expected: 'must not lead back to the model' };
    }
    const days = [model.availableFrom, model.deprecatedFrom, model.retiredFrom].filter((one) => one !== null);
    if (days.some((one, index) => index > 0 && one <= (days[index - 1] ?? '')))
      yield {
        path: path('retiredFrom'),
        expected: 'must be later than deprecatedFrom, and that later than availableFrom',
      };
    const hasTokens = model.capabilities.some((one) => one !== 'speech' && one !== 'transcription');
    if (!hasTokens && (model.price ?? model.priceChanges[0])) {
      const costs = model.capabilities.length === 1 ? 'costs its price' : 'cost their prices';
      yield {
        path: path(model.price ? 'price' : 'priceChanges'),
        expected: `must be absent: ${model.capabilities.join(' and ')} ${costs} in services`,
      };
    }
    for (const [price, at] of [[model.price, ['price']] as const, ...changesOf(model)])
      if (price && maxCost(price, model) > Number.MAX_SAFE_INTEGER)
        yield {
          path: path(...at),
          expected: 'must be smaller: a call that fills the window exceeds 2^53 microcredits',
        };
    for (const [index, { effectiveFrom }] of model.priceChanges.entries())
      if (effectiveFrom <= (model.priceChanges[index - 1]?.effectiveFrom ?? ''))
        yield {
          path: path('priceChanges', index, 'effectiveFrom'),
          expected: 'must be later than that of the previous change',
        };
    yield* endpointFaults(model, path, isLocal);
  }
  for (const [service, price] of Object.entries(services))
    if (price * microPerCredit > Number.MAX_SAFE_INTEGER)
      yield { path: ['services', service], expected: 'must be smaller: a large call exceeds 2^53 microcredits' };
}

function* endpointFaults(
  { endpoints, capabilities }: Model,
  path: (...rest: (string | number)[]) => OfferFault['path'],
  isLocal: boolean,
): Iterable<OfferFault> {
  for (const [index, endpoint] of endpoints.entries()) {
    if (endpoint.kind === 'openai' && !isReachable(endpoint.url, isLocal)) {
      const local = isLocal ? ', or be a loopback address' : '';
      yield { path: path('endpoints', index, 'url'), expected: `must begin with https://${local}` };
    }
    if (endpoint.kind === 'bedrock' && bedrockRegion(endpoint) !== (endpoint.region ?? bedrockRegion(endpoint)))
      yield { path: path('endpoints', index, 'region'), expected: 'must be the region of the ARN, or absent' };
    if (!capabilities.some((capability) => servesCapability(endpoint, capability)))
      yield {
        path: path('endpoints', index),
        expected: `must serve ${capabilities.join(' or ')}; ${served(endpoint)}`,
      };
  }
  for (const [index, capability] of capabilities.entries())
    if (!endpoints.some((endpoint) => servesCapability(endpoint, capability)))
      yield { path: path('capabilities', index), expected: `must be served by an endpoint; none serves ${capability}` };
}

function served(endpoint: OfferedEndpoint): string {
  if (endpoint.kind === 'sagemaker') return `the family ${endpoint.family} does not`;
  return 'on Bedrock, amazon.titan-embed-text models serve embeddings, and all others serve chat';
}

function* useFaults({ models, uses }: Offer, today: string): Iterable<OfferFault> {
  for (const [use, id] of Object.entries(uses)) {
    if (id === null) continue;
    const model = models.find((one) => one.id === id);
    if (!model?.capabilities.includes('chat'))
      yield { path: ['uses', use], expected: `must be the id of a model with chat; ${id} is not one` };
    else if (!isCallable(model, today))
      yield { path: ['uses', use], expected: `must be a model that is available today; ${id} is not` };
  }
}

/** ISO dates compare correctly as strings. */
export const isCallable = ({ availableFrom, retiredFrom }: Model, day: string): boolean =>
  (availableFrom === null || availableFrom <= day) && (retiredFrom === null || day < retiredFrom);

function isInCycle(model: Model, models: readonly Model[]): boolean {
  const seen = new Set<string>();
  for (let next: string | null = model.replacedBy; next !== null;) {
    if (next === model.id) return true;
    if (seen.has(next)) return false;
    seen.add(next);
    next = models.find(({ id }) => id === next)?.replacedBy ?? null;
  }
  return false;
}

const changesOf = ({ priceChanges }: Model) =>
  priceChanges.map((price, index) => [price, ['priceChanges', index]] as const);

/** Maximum price in microcredits of a call that fills the context window. */
function maxCost(price: ModelPrice, { contextWindow }: Model): number {
  const rate = Math.max(price.input, price.cachedInput, price.cacheWrite, price.output);
  return price.perRequest + Number((BigInt(contextWindow) * BigInt(rate)) / BigInt(microPerCredit));
}

/** Loopback addresses in the form of URL hosts: IPv4 127.0.0.0/8, ::1 and localhost. */
const loopback = /^(?:127(?:\.\d{1,3}){3}|\[::1\]|localhost)$/;

function isReachable(url: string, isLocal: boolean): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || (isLocal && loopback.test(hostname));
}

function* productFaults({ product: { accent, logo } }: Offer): Iterable<OfferFault> {
  if (accent !== null && contrastWithWhite(accent) < minContrast) {
    const found = contrastWithWhite(accent).toFixed(2);
    yield {
      path: ['product', 'accent'],
      expected: `must have a contrast of at least ${minContrast} with white; ${accent} has ${found}`,
    };
  }
  if (logo === null) return;
  const fault = logoFault(logo);
  if (fault) yield { path: ['product', 'logo'], expected: fault };
}

export const contrastWithWhite = (color: string): number => contrast(color, '#ffffff');

const scripted =
  /<\s*(?:[\w-]+:)?(?:script|foreignobject|iframe|object|embed|handler|set|animate)\b|[\s/"']on[a-z]+\s*=|javascript:|<!/i;
/** A reference to anything other than an element of the file, or a style sheet that could contain one. */
const outside =
  /(?:\b(?:xlink:)?href|\bsrc)\s*=\s*(?!["']#)|url\(\s*(?!["']?#)|image-set|\\|@import|<\s*style\b|<\?xml-stylesheet/i;

function logoFault(svg: string): string | undefined {
  if (svg === '') return 'must be the name of an SVG file in the folder of the offer';
  if (Buffer.byteLength(svg) > maxLogoBytes) return `must have at most ${maxLogoBytes} bytes`;
  if (!/^\s*(?:<\?xml[^>]*\?>\s*)?<svg[\s>][^]*<\/svg>\s*$/.test(svg)) return 'must be an SVG file';
  if (scripted.test(svg)) return 'must not contain scripts, events or declarations';
  return outside.test(svg) ? 'must not refer to anything outside the file' : undefined;
}
