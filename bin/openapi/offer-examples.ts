import { type PlanName, planAt, planListing, soldPlans } from '#contract/billing/plans.ts';
import { isServiceName } from '#contract/billing/prices.ts';
import { callableModels, catalogClock, firstModelFor, modelNamed, models } from '#contract/inference/models.ts';
import { listedAnthropicModels, listed, listedModels, pricedServices } from '#contract/listings.ts';
import { offer, packPrices } from '#contract/offer/current-offer.ts';
import { defaultOffer, defaultPacks } from '#contract/offer/default-offer.ts';
import { isSold, serviceOf, serviceOfCharge } from '#contract/offered-services.ts';
import { packList, packs } from '#contract/payments/payments.ts';
import { isJsonObject } from '#contract/shared/json.ts';
import { type Example, type Examples } from './operation.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** Returns the examples with the models, plans and packs of the current offer. Those of the default offer stay. */
export const ofOffer = (examples: Examples): Examples =>
  offer === defaultOffer
    ? examples
    : Object.fromEntries(
        Object.entries(examples).map(([id, example]) => [id, { ...offered(example), ...changes[id]?.(example) }]),
      );

/** The longest first, because one id begins another. */
const defaultIds = defaultOffer.models.map(({ id }) => id).toSorted((one, other) => other.length - one.length);

/** Replaces the default models in a text by offered models with the same capability, if any. */
export const withOfferedModels = (text: string): string =>
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
