import * as v from 'valibot';
import {
  capabilities,
  containerFamilies,
  modelFeatures,
  type Offer,
  type OfferedModel,
  offeredServices,
  planFeatures,
  productLinks,
} from './offer.ts';

/** A fault of an offer file: `path` such as `models[1].price.input`, empty for the whole file. */
export interface OfferFault {
  readonly path: readonly (string | number)[];
  readonly expected: string;
}

export const maxOfferBytes = 256 * 1024;
const maxModels = 200;
const maxPlans = 20;
const maxPacks = 50;
const maxLogoBytes = 64 * 1024;
const microPerCredit = 1_000_000;

/** Credits or USD with up to `places` decimals, as a number or a string, times 10 to the power of `places`. */
function amount(places: number, unit: string) {
  const expected = `must be an amount of ${unit} of at least 0, with at most ${places} decimals`;
  const pattern = new RegExp(`^\\d{1,12}(?:\\.\\d{1,${places}})?$`);
  return v.pipe(
    v.union([v.pipe(v.number(), v.transform(decimalText)), v.string()], expected),
    v.regex(pattern, expected),
    v.transform((text) => {
      const [whole = '', decimals = ''] = text.split('.');
      return Number(whole + decimals.padEnd(places, '0'));
    }),
    v.safeInteger(expected),
  );
}

/** Without an exponent, so that 0.0000001 is refused for its decimals. */
const decimalText = (value: number): string =>
  Math.abs(value) < 1e-6 && value !== 0 ? value.toFixed(20) : String(value);

const text = (max: number) =>
  v.pipe(
    v.string(`must be text of 1 to ${max} characters`),
    v.minLength(1, `must be text of 1 to ${max} characters`),
    v.maxLength(max, `must be text of 1 to ${max} characters`),
    v.check((value) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(value), 'must not contain control characters'),
  );
const integer = (min: number, max: number) => {
  const expected = `must be a whole number from ${min} to ${max}`;
  return v.pipe(v.number(expected), v.integer(expected), v.minValue(min, expected), v.maxValue(max, expected));
};
const name = v.pipe(
  v.string('must be a name'),
  v.regex(
    /^[a-zA-Z0-9][a-zA-Z0-9._:/-]{0,63}$/,
    'must be a name of up to 64 letters, digits and . _ : / -, and begin with a letter or digit',
  ),
);
const secretName = v.pipe(
  v.string('must be the name of a secret'),
  v.regex(/^[a-zA-Z][a-zA-Z0-9/_-]{0,127}$/, 'must be the name of a secret'),
);
const day = v.pipe(
  v.string('must be a day such as 2026-12-31'),
  v.regex(/^\d{4}-\d\d-\d\d$/, 'must be a day such as 2026-12-31'),
  v.check((value) => new Date(value).toJSON()?.startsWith(value) ?? false, 'must be a day such as 2026-12-31'),
);
const httpsUrl = v.pipe(
  v.string('must be a link that begins with https://'),
  v.check(
    (value) => URL.canParse(value) && new URL(value).protocol === 'https:',
    'must be a link that begins with https://',
  ),
  v.maxLength(2048, 'must have at most 2048 characters'),
);
const list = <const Item extends v.GenericSchema>(item: Item, max: number) =>
  v.pipe(v.array(item, 'must be a list'), v.maxLength(max, `must have at most ${max} entries`));
const oneOf = <const Names extends readonly string[]>(names: Names) =>
  v.picklist(names, `must be one of ${names.join(', ')}`);

const Endpoint = v.variant(
  'kind',
  [
    v.strictObject({
      kind: v.literal('sagemaker'),
      endpoint: name,
      family: oneOf(containerFamilies),
      component: v.exactOptional(name),
    }),
    v.strictObject({
      kind: v.literal('openai'),
      url: v.pipe(
        v.string('must be a URL'),
        v.check((value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol), 'must be a URL'),
        v.maxLength(2048, 'must have at most 2048 characters'),
      ),
      model: text(200),
      secret: v.exactOptional(secretName),
    }),
    v.strictObject({ kind: v.literal('bedrock'), model: text(200), region: v.exactOptional(name) }),
  ],
  'must have the kind sagemaker, openai or bedrock',
);

const credits = amount(6, 'credits');
const Price = v.pipe(
  v.strictObject({
    perRequest: v.exactOptional(credits),
    input: v.exactOptional(credits),
    cachedInput: v.exactOptional(credits),
    cacheWrite: v.exactOptional(credits),
    output: v.exactOptional(credits),
  }),
  v.check((price) => Object.keys(price).length > 0, 'must have perRequest, or input and output'),
  v.check(
    ({ input, cachedInput, cacheWrite }) => input !== undefined || (cachedInput ?? cacheWrite) === undefined,
    'must have input where it has cachedInput or cacheWrite',
  ),
  v.transform(({ perRequest = 0, input = 0, cachedInput = input, cacheWrite = input, output = 0 }) => {
    return { perRequest, input, cachedInput, cacheWrite, output };
  }),
);

const Model = v.strictObject({
  id: name,
  aliases: v.optional(list(name, 20), []),
  title: v.exactOptional(text(80)),
  description: v.exactOptional(text(500)),
  capabilities: v.pipe(list(oneOf(capabilities), 5), v.minLength(1, 'must have at least one entry')),
  contextWindow: integer(1, 100_000_000),
  maxOutputTokens: v.exactOptional(integer(1, 100_000_000)),
  dimensions: v.optional(v.nullable(integer(1, 65_536)), null),
  minPlan: v.exactOptional(name),
  endpoints: v.pipe(list(Endpoint, 10), v.minLength(1, 'must have at least one entry')),
  price: v.optional(v.nullable(Price), null),
  features: v.optional(list(oneOf(modelFeatures), 3), []),
  availableFrom: v.optional(v.nullable(day), null),
  deprecatedFrom: v.optional(v.nullable(day), null),
  retiredFrom: v.optional(v.nullable(day), null),
  replacedBy: v.optional(v.nullable(name), null),
});

const unlimitedOr = (max: number) => v.nullable(integer(0, max));

const Plan = v.strictObject({
  id: v.exactOptional(integer(1, 1000)),
  name: v.pipe(
    v.string('must be a name'),
    v.regex(/^[a-z][a-z0-9_]{0,39}$/, 'must be a name of lower-case letters, digits and _'),
  ),
  title: v.exactOptional(text(60)),
  priceUsd: v.nullable(amount(2, 'USD')),
  creditsPerMonth: unlimitedOr(1_000_000_000),
  callsPerMonth: v.optional(unlimitedOr(1_000_000_000), null),
  callsPerMinute: unlimitedOr(1_000_000),
  maxConcurrentCalls: integer(1, 1000),
  features: v.optional(list(oneOf(planFeatures), 2), []),
  recommended: v.optional(v.boolean('must be true or false'), false),
  hidden: v.optional(v.boolean('must be true or false'), false),
});

const Pack = v.strictObject({
  id: name,
  credits: integer(1, 1_000_000_000),
  priceUsd: v.pipe(amount(2, 'USD'), v.minValue(50, 'must be at least 0.50 USD')),
});

/** The content of an offer file. Its JSON Schema is published as `examples/offers/offer.schema.json`. */
export const OfferFile = v.strictObject({
  $schema: v.exactOptional(v.string()),
  version: integer(1, 1_000_000_000),
  product: v.exactOptional(
    v.strictObject({
      name: text(60),
      supportEmail: v.optional(
        v.nullable(v.pipe(v.string('must be an email address'), v.email('must be an email address'))),
        null,
      ),
      accent: v.optional(
        v.nullable(
          v.pipe(
            v.string('must be a colour such as #0a5c7a'),
            v.regex(/^#[0-9a-fA-F]{6}$/, 'must be a colour such as #0a5c7a'),
          ),
        ),
        null,
      ),
      logo: v.optional(v.nullable(text(200)), null),
      links: v.optional(
        v.strictObject(v.entriesFromList(productLinks, v.exactOptional(httpsUrl)), 'must be links by name'),
        {},
      ),
    }),
  ),
  models: v.exactOptional(v.pipe(list(Model, maxModels), v.minLength(1, 'must have at least one entry'))),
  uses: v.exactOptional(v.strictObject({ translation: v.exactOptional(name), analysis: v.exactOptional(name) })),
  services: v.exactOptional(v.strictObject(v.entriesFromList(offeredServices, v.exactOptional(credits)))),
  plans: v.exactOptional(v.pipe(list(Plan, maxPlans), v.minLength(1, 'must have at least one entry'))),
  packs: v.exactOptional(list(Pack, maxPacks)),
});
type OfferFile = v.InferOutput<typeof OfferFile>;

export interface OfferReading {
  /** What absent sections are taken from. */
  readonly defaults: Offer;
  /** Whether a model may run on this machine, behind http. */
  readonly isLocal: boolean;
  /** The text of the logo's file; undefined if there is none. */
  readonly readLogo: (path: string) => string | undefined;
}

/** Returns the offer, or all faults of the parsed file. */
export function readOffer(given: unknown, reading: OfferReading): Offer | readonly OfferFault[] {
  if (Array.isArray(given)) return [{ path: [], expected: 'must be an object' }];
  const result = v.safeParse(OfferFile, given);
  if (!result.success) return result.issues.map(faultOf);
  const offer = completed(result.output, reading);
  const faults = [...planFaults(offer), ...modelFaults(result.output, offer, reading), ...productFaults(offer)];
  return faults.length > 0 ? faults : offer;
}

function faultOf(issue: v.BaseIssue<unknown>): OfferFault {
  const path = (issue.path ?? []).map(({ key }) => (typeof key === 'number' ? key : String(key)));
  if (issue.type === 'strict_object' && issue.expected === 'never')
    return { path, expected: 'is not a field of an offer' };
  if (issue.type === 'strict_object' && issue.input === undefined) return { path, expected: 'is required' };
  if (issue.type === 'strict_object') return { path, expected: 'must be an object' };
  return { path, expected: issue.input === undefined ? 'is required' : issue.message };
}

function completed(file: OfferFile, { defaults, readLogo }: OfferReading): Offer {
  const plans =
    file.plans?.map(({ id, title, priceUsd, ...plan }, index) => ({
      ...plan,
      id: id ?? index + 1,
      title: title ?? plan.name,
      priceUsd: priceUsd === null ? null : priceUsd / 100,
    })) ?? defaults.plans;
  const rankOf = (plan: string | undefined): number =>
    (plan === undefined ? plans[0] : plans.find((one) => one.name === plan))?.id ?? 0;
  const models =
    file.models?.map(({ title, description = '', minPlan, maxOutputTokens, ...model }): OfferedModel => {
      return {
        ...model,
        title: title ?? model.id,
        description,
        maxOutputTokens: maxOutputTokens ?? model.contextWindow,
        minPlanRank: rankOf(minPlan),
      };
    }) ?? defaults.models;
  const firstChat = models.find((model) => model.capabilities.includes('chat'))?.id ?? null;
  const uses = file.models || file.uses ? { translation: firstChat, analysis: firstChat, ...file.uses } : defaults.uses;
  const { product = defaults.product } = file;
  return {
    version: file.version,
    product: { ...product, logo: file.product?.logo ? (readLogo(file.product.logo) ?? '') : product.logo },
    models,
    uses,
    services: { ...defaults.services, ...file.services },
    plans,
    packs: file.packs ?? defaults.packs,
  };
}

function* planFaults({ plans, packs }: Offer): Iterable<OfferFault> {
  yield* repeated(plans.map((plan, at) => [plan.name, ['plans', at, 'name']]));
  for (const [at, { id }] of plans.entries())
    if (id <= (plans[at - 1]?.id ?? 0))
      yield {
        path: ['plans', at, 'id'],
        expected: 'must be larger than that of the plan before: plans are sorted by rank',
      };
  yield* repeated(packs.map((pack, at) => [pack.id, ['packs', at, 'id']]));
  const [first = 0, ...others] = plans.flatMap(({ priceUsd }, at) => (priceUsd === 0 ? [at] : []));
  for (const at of others)
    yield { path: ['plans', at, 'priceUsd'], expected: `must not be 0, because ${plans[first]?.name} is free` };
  if (first !== 0)
    yield { path: ['plans', first, 'priceUsd'], expected: 'must be 0 only for the first plan, which is the smallest' };
}

function* repeated(names: readonly (readonly [string, OfferFault['path']])[]): Iterable<OfferFault> {
  const seen = new Set<string>();
  for (const [value, path] of names) {
    if (seen.has(value)) yield { path, expected: `must be unique; ${value} is used twice` };
    seen.add(value);
  }
}

function* modelFaults(
  file: OfferFile,
  { models, uses, services }: Offer,
  { isLocal }: OfferReading,
): Iterable<OfferFault> {
  yield* repeated(
    models.flatMap(({ id, aliases }, at) => [
      [id, ['models', at, 'id']] as const,
      ...aliases.map((alias, index) => [alias, ['models', at, 'aliases', index]] as const),
    ]),
  );
  for (const [use, model] of Object.entries(uses))
    if (model !== null && !models.some(({ id, capabilities: has }) => id === model && has.includes('chat')))
      yield { path: ['uses', use], expected: 'must be the id of a model with chat' };
  for (const [at, model] of models.entries()) {
    const path = (...rest: (string | number)[]) => ['models', at, ...rest];
    if (model.minPlanRank === 0)
      yield { path: path('minPlan'), expected: `must be the name of a plan; ${file.models?.[at]?.minPlan} is none` };
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
    if (maxCost(model) > Number.MAX_SAFE_INTEGER)
      yield {
        path: path('price'),
        expected: 'must be smaller: a call that fills the window exceeds 2^53 microcredits',
      };
    for (const [index, endpoint] of model.endpoints.entries())
      if (endpoint.kind === 'openai' && !isReachable(endpoint.url, isLocal)) {
        const local = isLocal ? ', or be a loopback address' : '';
        yield { path: path('endpoints', index, 'url'), expected: `must begin with https://${local}` };
      }
  }
  for (const [service, price] of Object.entries(services))
    if (price * 1_000_000 > Number.MAX_SAFE_INTEGER)
      yield { path: ['services', service], expected: 'must be smaller: a large call exceeds 2^53 microcredits' };
}

function isInCycle(model: OfferedModel, models: readonly OfferedModel[]): boolean {
  const seen = new Set<string>();
  for (let next: string | null = model.replacedBy; next !== null;) {
    if (next === model.id) return true;
    if (seen.has(next)) return false;
    seen.add(next);
    next = models.find(({ id }) => id === next)?.replacedBy ?? null;
  }
  return false;
}

/** Microcredits of a call that fills the window, at the highest rate. */
function maxCost({ price, contextWindow }: OfferedModel): number {
  if (!price) return 0;
  const rate = Math.max(price.input, price.cachedInput, price.cacheWrite, price.output);
  return price.perRequest + Number((BigInt(contextWindow) * BigInt(rate)) / BigInt(microPerCredit));
}

/** Loopback addresses as a URL has them: IPv4 127.0.0.0/8, ::1 and localhost. */
const loopback = /^(?:127(?:\.\d{1,3}){3}|\[::1\]|localhost)$/;

function isReachable(url: string, isLocal: boolean): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || (isLocal && loopback.test(hostname));
}

/** WCAG 2.2, success criterion 1.4.3. */
const minContrast = 4.5;

function* productFaults({ product: { accent, logo } }: Offer): Iterable<OfferFault> {
  if (accent !== null && contrastWithWhite(accent) < minContrast) {
    const contrast = contrastWithWhite(accent).toFixed(2);
    yield {
      path: ['product', 'accent'],
      expected: `must have a contrast of at least ${minContrast} with white; ${accent} has ${contrast}`,
    };
  }
  if (logo === null) return;
  const fault = logoFault(logo);
  if (fault) yield { path: ['product', 'logo'], expected: fault };
}

/** Contrast ratio (WCAG 2.2, "relative luminance"). */
export function contrastWithWhite(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05);
}

const scripted =
  /<\s*(?:script|foreignobject|iframe|object|embed|handler|set|animate)\b|\son[a-z]+\s*=|javascript:|<!/i;
/** A reference to anything but an element of the file, or a style sheet that could have one. */
const outside = /(?:\b(?:xlink:)?href|\bsrc)\s*=\s*(?!["']#)|url\(\s*(?!["']?#)|@import|<\s*style\b|<\?xml-stylesheet/i;

function logoFault(svg: string): string | undefined {
  if (svg === '') return 'must be the path of an SVG file beside the offer';
  if (Buffer.byteLength(svg) > maxLogoBytes) return `must have at most ${maxLogoBytes} bytes`;
  if (!/^\s*(?:<\?xml[^>]*\?>\s*)?<svg[\s>][^]*<\/svg>\s*$/.test(svg)) return 'must be an SVG file';
  if (scripted.test(svg)) return 'must not contain scripts, events or declarations';
  return outside.test(svg) ? 'must not refer to anything outside the file' : undefined;
}
