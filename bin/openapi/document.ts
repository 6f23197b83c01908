import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { JsonSchema } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';
import { type PlanName, planAt, planListing, soldPlans } from '#contract/billing/plans.ts';
import { isServiceName } from '#contract/billing/prices.ts';
import { idempotencyKey as keyRule } from '#contract/http/request.ts';
import { callableModels, catalogClock, firstModelFor, modelNamed, models } from '#contract/inference/models.ts';
import { listedAnthropicModels, listed, listedModels, pricedServices } from '#contract/listings.ts';
import { offer, packPrices } from '#contract/offer/current-offer.ts';
import { defaultOffer, defaultPacks } from '#contract/offer/default-offer.ts';
import {
  canBeIncluded,
  isDocumentOffered,
  isSold,
  type Service,
  serviceOf,
  serviceOfCharge,
} from '#contract/offered-services.ts';
import { organizationHeader } from '#contract/organizations/roles.ts';
import { packList, packs } from '#contract/payments/payments.ts';
import { allRoutes } from '#contract/routes.ts';
import { isJsonObject } from '#contract/shared/json.ts';
import { eventSamples } from '#contract/webhooks/event-samples.ts';
import { webhookEvents, type WebhookEventType, webhookEventTypes } from '#contract/webhooks/webhooks.ts';
import manifest from '../../package.json' with { type: 'json' };
import { errorCollector, errorSchemas } from './errors.ts';
import { headers } from './headers.ts';
import { type Example, type Examples, operationOf, readExamples, inOrder, tagOf, tags } from './operation.ts';
import { type Mode, schemaCollector } from './schemas.ts';
import { withTables } from './tables.ts';

const docs = join(import.meta.dirname, '../../docs');

/** Generated files of docs, by path below it, with the text for the current offer. */
export async function generatedDocs(): Promise<readonly (readonly [path: string, text: string])[]> {
  const document = await documentText((service) => isSold[service]);
  const guides = (await readdir(join(docs, 'guides'))).map((name) => `guides/${name}`);
  const pages = ['webhooks.md', ...guides];
  const texts = withTables(await Promise.all(pages.map((page) => readFile(join(docs, page), 'utf8'))));
  return [['openapi.json', document], ...pages.map((page, index) => [page, texts[index] ?? ''] as const)];
}

const documentText = async (isOffered: (service: Service) => boolean): Promise<string> =>
  `${JSON.stringify(openApiDocument(ofOffer(await readExamples()), isOffered), undefined, 2)}\n`;

/** Writes the docs that the dashboard contains, with the models, tables and API document of the current offer. */
export async function writeDocsOfOffer(folder: string): Promise<void> {
  const credits = ['credits.md', await readFile(join(docs, 'credits.md'), 'utf8')] as const;
  // Accounts that keep a service which is no longer sold see its operations in the dashboard.
  const reference = ['reference.json', await documentText(canBeIncluded)] as const;
  for (const [path, text] of [...(await generatedDocs()), credits, reference]) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, withOfferedModels(text));
  }
}

const description = `Accounts, plans, metered credits and text inference.

Every JSON response is an envelope of \`message\`, \`error\`, \`data\` and \`status\`; errors carry a \`detail\` too. Below
\`/openai/v1\` and \`/anthropic\` responses have no envelope, as the clients of these vendors expect. Errors are checked in a fixed order: 404, 405, 413 and 415,
then 401, 400, 403, 409 and 422, 429, 402. A request that fails is not charged.`;

const { name, links, supportEmail } = offer.product;

const productInfo = {
  title: name,
  ...(links.terms !== undefined && { termsOfService: links.terms }),
  ...(supportEmail !== null && { contact: { name, email: supportEmail } }),
};

const securitySchemes = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key, which begins with `tai_`, created in the dashboard.',
  },
  keyHeader: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'An API key, below `/anthropic` only, as Anthropic SDKs send it.',
  },
  sessionCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'session',
    description: 'Set by signing in; named `__Host-session` where the service is deployed.',
  },
  sessionBearer: { type: 'http', scheme: 'bearer', description: 'The value of the session cookie, below `/api` only.' },
};

const organization = {
  name: organizationHeader,
  in: 'header',
  required: false,
  description:
    'Id of the organization for which a signed-in user acts; by default the personal one. An API key belongs to one organization and needs no header. One that the caller is not a member of: 404.',
  schema: { type: 'string', pattern: '^[1-9]\\d{0,15}$' },
};

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes repeating safe: requests of an account with the same key run once, and the response is replayed for 24 hours. 1 to 255 printable ASCII characters, in quotes or bare, such as `order-17`; a comma or a quote needs the quotes, in which `"` and `\\` come after a `\\`.',
  schema: { type: 'string', minLength: 1, maxLength: 2 * keyRule.maxLength + 2, pattern: keyRule.pattern },
};

/** Placeholder for an operation without an example. `test/docs/openapi.test.ts` fails if one exists. */
const noExample: Example = { status: 200, headers: [], response: undefined };

function openApiDocument(examples: Examples, isOffered: (service: Service) => boolean): object {
  const schemas = schemaCollector();
  const errors = errorCollector();
  const paths = new Map<string, Record<string, object>>();
  const routes = inOrder(allRoutes.filter(({ path }) => isDocumentOffered({ href: '', path }, isOffered)));
  for (const route of routes) {
    const operation = operationOf(route, examples[route.id] ?? noExample, { ...schemas, ...errors });
    paths.set(route.path, { ...paths.get(route.path), [route.method.toLowerCase()]: operation });
  }
  const webhooks = isOffered('webhooks') ? webhooksOf(schemas.schemaOf) : {};
  const names = new Set(routes.map(tagOf));
  return {
    openapi: '3.1.0',
    info: { ...productInfo, version: manifest.version, description },
    servers: [{ url: '/', description: 'The service that this document comes from' }],
    tags: tags.filter(({ name }) => names.has(name)).map(({ name, description }) => ({ name, description })),
    paths: Object.fromEntries(paths),
    webhooks,
    components: {
      securitySchemes,
      parameters: { [organizationHeader]: organization, 'Idempotency-Key': idempotencyKey },
      headers,
      schemas: { ...errorSchemas, ...sorted(schemas.components) },
      responses: sorted(errors.responses),
    },
  };
}

const sorted = (entries: ReadonlyMap<string, object>) =>
  Object.fromEntries([...entries].toSorted(([one], [other]) => (one < other ? -1 : 1)));

type SchemaOf = (schema: GenericSchema, mode: Mode) => JsonSchema;

const header = (name: string, description: string, example: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
  example,
});

const parameters = [
  header('webhook-id', 'Id of the event, the same in every attempt.', 'evt_26ONAvui4aEO8EojX3vu4r'),
  header('webhook-timestamp', 'When it was sent, in Unix seconds.', '1803027600'),
  header(
    'webhook-signature',
    'Signatures of `webhook-id.webhook-timestamp.body`: `v1,` and an HMAC-SHA256 in base64, one for each secret that signs, separated by spaces.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
];

const responses = {
  '2XX': { description: 'Accepted. Any 2xx within 15 s is a success.' },
  '410': { description: 'The webhook is disabled.' },
  '4XX': { description: 'The event is sent again later, as after any other response; `Retry-After` is respected.' },
};

function webhooksOf(schemaOf: SchemaOf): Record<string, object> {
  return Object.fromEntries(webhookEventTypes.map((type) => [type, { post: requestOf(type, schemaOf) }]));
}

function requestOf(type: WebhookEventType, schemaOf: SchemaOf) {
  const { description, data } = webhookEvents[type];
  const example = { type, timestamp: '2027-02-15T09:00:00.000Z', data: eventSamples[type] };
  const schema = {
    type: 'object',
    properties: {
      type: { const: type },
      timestamp: { type: 'string', format: 'date-time', description: 'When it happened.' },
      data: schemaOf(data, 'output'),
    },
    required: ['type', 'timestamp', 'data'],
  };
  return {
    operationId: `on${type.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
    tags: ['Webhooks'],
    summary: type,
    description,
    security: [],
    parameters,
    requestBody: { required: true, content: { 'application/json': { schema, example } } },
    responses,
  };
}

type JsonObject = Readonly<Record<string, unknown>>;

/** Returns the examples with the models, plans and packs of the current offer. Those of the default offer stay. */
const ofOffer = (examples: Examples): Examples =>
  offer === defaultOffer
    ? examples
    : Object.fromEntries(
        Object.entries(examples).map(([id, example]) => [id, { ...offered(example), ...changes[id]?.(example) }]),
      );

/** The longest first, because one id begins another. */
const defaultIds = defaultOffer.models.map(({ id }) => id).toSorted((one, other) => other.length - one.length);

/** Replaces the default models in a text by offered models with the same capability, if any. */
const withOfferedModels = (text: string): string =>
  text.replaceAll(new RegExp(`\\b(?:${defaultIds.join('|')})\\b`, 'g'), (id) => {
    if (models.some((model) => model.id === id)) return id;
    const [capability = 'chat'] = defaultOffer.models.find((model) => model.id === id)?.capabilities ?? [];
    return firstModelFor(capability) || id;
  });

/** The plan in the place of a default plan. Undefined for other texts. */
function planFor(name: string): PlanName | undefined {
  const position = defaultOffer.plans.findIndex((plan) => plan.name === name);
  return position === -1 ? undefined : planAt(position);
}

function textFor(text: string): string {
  if (defaultPacks.some(({ id }) => id === text)) return packs[0]?.id ?? text;
  return planFor(text) ?? withOfferedModels(text);
}

const offered = (example: Example): Example => {
  const { path, query, body, response, stream } = example;
  const texts = (values: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(values).map(([name, text]) => [name, textFor(text)]));
  return {
    ...example,
    ...(path && { path: texts(path) }),
    ...(query && { query: texts(query) }),
    ...(body && { body: fields(body) }),
    response: value(response),
    ...(stream !== undefined && { stream: withOfferedModels(stream) }),
  };
};

function value(given: unknown): unknown {
  if (typeof given === 'string') return textFor(given);
  if (Array.isArray(given)) return ofSoldServices(given).map(value);
  return isJsonObject(given) ? fields(given) : given;
}

const fields = (given: JsonObject): Record<string, unknown> => ({
  ...Object.fromEntries(Object.entries(given).map(([name, inner]) => [name, value(inner)])),
  ...amounts(given),
});

const [ownModel = models[0]] = callableModels();
const [ownCapability = 'chat'] = ownModel?.capabilities ?? [];
const ownService = serviceOf[ownCapability];

/** Price and credits of the plan or pack that an object is about. */
function amounts({ planId, kind, monthlyCredits, proration, credits, amount }: JsonObject): JsonObject {
  const [pack] = packs;
  if (kind === 'pack') return pack ? { credits: pack.credits, amount: pack.cents } : {};
  const plan = planListing.find(({ name }) => typeof planId === 'string' && name === planFor(planId));
  if (!plan) return {};
  const price = plan.price ?? 0;
  if (monthlyCredits !== undefined)
    return {
      price,
      monthlyCredits: plan.quota_limit ?? -1,
      ...(isJsonObject(proration) && { proration: { ...proration, ...half(plan) } }),
    };
  if (credits === undefined || amount === undefined) return {};
  return kind === 'upgrade'
    ? { ...half(plan), amount: Math.round((price * 100) / 2) }
    : { credits: plan.quota_limit ?? 0, amount: Math.round(price * 100) };
}

/** An upgrade in the middle of a month, from the free plan. */
const half = ({ price, quota_limit }: (typeof planListing)[number]) => ({
  amount: Math.round(((price ?? 0) * 100) / 2) / 100,
  credits: Math.floor((quota_limit ?? 0) / 2),
});

/** Removes the items of services that are not sold. If no item remains, the first one is kept with a sold model. */
function ofSoldServices(items: readonly unknown[]): readonly unknown[] {
  const sold = items.filter((item) => !isJsonObject(item) || isOfSold(item['service']));
  const [first] = items;
  if (sold.length > 0 || !isJsonObject(first) || !ownModel) return sold;
  return [{ ...first, service: ownService, ...('model' in first && { model: ownModel.id }) }];
}

const isOfSold = (service: unknown): boolean =>
  typeof service !== 'string' || !isServiceName(service) || isSold[serviceOfCharge[service]];

const withData = ({ response }: Example, data: object): Partial<Example> => ({
  response: { ...(isJsonObject(response) && response), data },
});
const dataOf = ({ response }: Example): object => {
  const data = isJsonObject(response) ? response['data'] : undefined;
  return isJsonObject(data) ? data : {};
};
const model = modelNamed(firstModelFor('chat')) ?? models[0];
const noTopUp = { state: 'off', threshold: null, pack: null, monthlyLimit: null, lastFailure: null, card: null };
const topUpData = (example: Example) => (packs.length > 0 ? {} : withData(example, noTopUp));

/** Lists contain every item that the service returns. Without packs, only plans can be bought. */
const changes: Readonly<Record<string, (example: Example) => Partial<Example>>> = {
  'list-plans': (example) => withData(example, { plans: soldPlans, ...(packs.length > 0 && { packs: packPrices }) }),
  'list-models': (example) => withData(example, listedModels()),
  'list-openai-models': () => ({ response: { object: 'list', data: listedModels() } }),
  'get-openai-model': () => (model ? { path: { model: model.id }, response: listed(model, catalogClock.now()) } : {}),
  'list-anthropic-models': () => ({ response: listedAnthropicModels() }),
  'list-services': (example) => withData(example, { services: pricedServices() }),
  'list-packs': (example) => withData(example, { items: packList }),
  'preview-upgrade': (example) => {
    const plan = planListing.find(({ name }) => name === planAt(3));
    return plan ? withData(example, { ...dataOf(example), ...half(plan) }) : {};
  },
  'get-service-quota': (example) =>
    isSold.translation
      ? {}
      : { path: { name: ownService }, ...withData(example, { ...dataOf(example), service: ownService }) },
  'create-checkout': () => (packs.length > 0 ? {} : { body: { planId: planAt(1) } }),
  'set-auto-top-up': (example) => ({ ...topUpData(example), ...(packs.length === 0 && { body: null }) }),
  'get-auto-top-up': topUpData,
};
