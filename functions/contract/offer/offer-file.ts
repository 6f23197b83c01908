import * as v from 'valibot';
import { isCallable, type OfferFault, offerFaults } from './offer-faults.ts';
import {
  capabilities,
  containerFamilies,
  maxEndpoints,
  modelFeatures,
  type Offer,
  type Model,
  offeredServices,
  planFeatures,
  productLinks,
} from './offer.ts';

/** Builds receive the offer in an environment variable, which Linux limits to 128 KiB. */
export const maxOfferBytes = 120 * 1024;
const maxModels = 200;
const maxPlans = 20;
const maxPacks = 50;

/** Credits or USD with up to `places` decimals, as a number or a string, times 10 to the power of `places`. */
function amount(places: number, unit: string) {
  const expected = `must be an amount of ${unit} of at least 0, with at most ${places} decimals`;
  const pattern = new RegExp(`^\\d+(?:\\.\\d{1,${places}})?$`);
  const max = Math.floor(Number.MAX_SAFE_INTEGER / 10 ** places);
  return v.pipe(
    v.union([v.pipe(v.number(), v.transform(decimalText)), v.string()], expected),
    v.regex(pattern, expected),
    v.transform((text) => {
      const [whole = '', decimals = ''] = text.split('.');
      return Number(whole + decimals.padEnd(places, '0'));
    }),
    v.safeInteger(`must be at most ${max} ${unit}`),
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
/** SageMaker's rule (CreateEndpoint, EndpointName). */
const endpointName = v.pipe(
  v.string('must be the name of an endpoint'),
  v.regex(/^[a-zA-Z0-9](?:-*[a-zA-Z0-9]){0,62}$/, 'must be the name of an endpoint'),
);
const logoFile = v.pipe(
  v.string('must be the name of an SVG file in the folder of the offer'),
  v.regex(/^\w[\w.-]{0,199}$/, 'must be the name of an SVG file in the folder of the offer'),
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

const bedrockModel = v.pipe(
  v.string('must be the id of a model or inference profile, or an ARN'),
  v.regex(/^[a-zA-Z0-9][\w.:/-]{0,299}$/, 'must be the id of a model or inference profile, or an ARN'),
);
const region = v.pipe(
  v.string('must be a region such as us-east-1'),
  v.regex(/^[a-z]{2}(?:-[a-z]+)+-\d$/, 'must be a region such as us-east-1'),
);

const Endpoint = v.variant(
  'kind',
  [
    v.strictObject({
      kind: v.literal('sagemaker'),
      endpoint: endpointName,
      family: oneOf(containerFamilies),
      component: v.exactOptional(endpointName),
    }),
    v.strictObject({
      kind: v.literal('openai'),
      url: v.pipe(
        v.string('must be a URL'),
        v.check(isBaseUrl, 'must be a URL of http or https, without user, password and fragment'),
        v.maxLength(2048, 'must have at most 2048 characters'),
      ),
      model: text(200),
      secret: v.exactOptional(secretName),
    }),
    v.strictObject({ kind: v.literal('bedrock'), model: bedrockModel, region: v.exactOptional(region) }),
  ],
  'must be sagemaker, openai or bedrock',
);

function isBaseUrl(value: string): boolean {
  const { protocol, username, password, hash } = URL.parse(value) ?? {};
  return (protocol === 'https:' || protocol === 'http:') && !username && !password && !hash;
}

const credits = amount(6, 'credits');
const rates = {
  perRequest: v.exactOptional(credits),
  input: v.exactOptional(credits),
  cachedInput: v.exactOptional(credits),
  cacheWrite: v.exactOptional(credits),
  output: v.exactOptional(credits),
};
type Rates = { readonly [Rate in keyof typeof rates]?: number };
const hasRates = <Given extends Rates>() =>
  v.check<Given, string>(
    (price) => Object.keys(rates).some((rate) => Object.hasOwn(price, rate)),
    'must have perRequest, or input and output',
  );
const hasInput = <Given extends Rates>() =>
  v.check<Given, string>(
    ({ input, cachedInput, cacheWrite }) => input !== undefined || (cachedInput ?? cacheWrite) === undefined,
    'must have input if it has cachedInput or cacheWrite',
  );
const priceOf = ({ perRequest = 0, input = 0, cachedInput = input, cacheWrite = input, output = 0 }: Rates) => {
  return { perRequest, input, cachedInput, cacheWrite, output };
};
const Price = v.pipe(v.strictObject(rates), hasRates(), hasInput(), v.transform(priceOf));
const PriceChange = v.pipe(
  v.strictObject({ effectiveFrom: day, ...rates }),
  hasRates(),
  hasInput(),
  v.transform(({ effectiveFrom, ...price }) => ({ effectiveFrom, ...priceOf(price) })),
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
  endpoints: v.pipe(list(Endpoint, maxEndpoints), v.minLength(1, 'must have at least one entry')),
  price: v.optional(v.nullable(Price), null),
  priceChanges: v.optional(list(PriceChange, 20), []),
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
  maxConcurrentCalls: integer(1, 4000),
  features: v.optional(list(oneOf(planFeatures), 2), []),
  recommended: v.optional(v.boolean('must be true or false'), false),
  hidden: v.optional(v.boolean('must be true or false'), false),
  endsOn: v.optional(v.nullable(day), null),
  replacedBy: v.optional(v.nullable(name), null),
});

const Pack = v.strictObject({
  id: name,
  credits: integer(1, 1_000_000_000),
  priceUsd: v.pipe(amount(2, 'USD'), v.minValue(500, 'must be at least 5 USD, to deter card testing')),
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
            v.string('must be a color such as #0a5c7a'),
            v.regex(/^#[0-9a-fA-F]{6}$/, 'must be a color such as #0a5c7a'),
          ),
        ),
        null,
      ),
      logo: v.optional(v.nullable(logoFile), null),
      links: v.optional(
        v.strictObject(v.entriesFromList(productLinks, v.exactOptional(httpsUrl)), 'must be an object of links'),
        {},
      ),
      termsVersion: v.optional(integer(1, 1_000_000_000), 1),
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
  /** Values of absent sections. */
  readonly defaults: Offer;
  /** Whether a model may run on this machine, behind http. */
  readonly isLocal: boolean;
  /** The day as `2026-12-31`, in UTC. */
  readonly today: string;
  /** Returns the content of the logo's file, or undefined if the file does not exist. */
  readonly readLogo: (path: string) => string | undefined;
}

/** Returns the offer, or all faults of the parsed file. */
export function readOffer(given: unknown, reading: OfferReading): Offer | readonly OfferFault[] {
  if (Array.isArray(given)) return [{ path: [], expected: 'must be an object' }];
  const result = v.safeParse(OfferFile, given);
  if (!result.success) return result.issues.map(faultOf);
  const offer = completed(result.output, reading);
  const faults = [...offerFaults(offer, result.output, reading)];
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

function completed(file: OfferFile, { defaults, readLogo, today }: OfferReading): Offer {
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
    file.models?.map(({ title, description = '', minPlan, maxOutputTokens, ...model }): Model => {
      return {
        ...model,
        title: title ?? model.id,
        description,
        maxOutputTokens: maxOutputTokens ?? model.contextWindow,
        minPlanRank: rankOf(minPlan),
      };
    }) ?? defaults.models;
  const chatModels = models.filter((model) => model.capabilities.includes('chat'));
  const firstChat = (chatModels.find((model) => isCallable(model, today)) ?? chatModels[0])?.id ?? null;
  const uses = file.models || file.uses ? { translation: firstChat, analysis: firstChat, ...file.uses } : defaults.uses;
  const { product = defaults.product } = file;
  return {
    version: file.version,
    product: { ...product, logo: file.product?.logo ? (readLogo(file.product.logo) ?? '') : product.logo },
    models,
    uses,
    services: { ...defaults.services, ...file.services },
    plans,
    packs: file.packs?.map((pack) => ({ ...pack, priceUsd: pack.priceUsd / 100 })) ?? defaults.packs,
  };
}
