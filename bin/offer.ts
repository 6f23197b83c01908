#!/usr/bin/env node
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { toJsonSchema } from '@valibot/to-json-schema';
import { platformCost, revenueOf } from '#bench/cost/cost.ts';
import { OfferFile } from '#contract/offer/offer-file.ts';
import { type ModelPrice, type Offer, productLinks } from '#contract/offer/offer.ts';
import { loadOffer, OfferError } from '#lib/offer.ts';

const usage = `Usage: npx node bin/offer.ts COMMAND

  check FILE      checks an offer file (docs/offer.md)
  diff OLD NEW    prints what customers notice of a change
  example         prints an example: three models priced by tokens
  schema          prints the JSON Schema of offer files, for editors

  --local         allow models at http://127.0.0.1
`;

const example = new URL('../examples/offers/open-models.json', import.meta.url);

/** The example refers to the schema from the root of the repository, where the offer is kept. */
const exampleText = (): string =>
  readFileSync(example, 'utf8').replace('./offer.schema.json', './examples/offers/offer.schema.json');

function run(): string {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { local: { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h', default: false } },
  });
  const [command, ...files] = positionals;
  const load = (file: string): Offer => loadOffer(file, { isLocal: values.local });
  if (command === 'check' && files.length === 1) return summary(load(files[0] ?? ''));
  if (command === 'diff' && files.length === 2)
    return difference(factsOf(load(files[0] ?? '')), factsOf(load(files[1] ?? '')));
  if (command === 'example' && files.length === 0) return exampleText();
  if (command === 'schema' && files.length === 0) return `${JSON.stringify(schema(), null, 2)}\n`;
  if (values.help) return usage;
  throw new OfferError(usage);
}

/** Only `check` finds violations of rules that JSON Schema cannot express. */
const schema = () =>
  toJsonSchema(OfferFile, {
    target: 'draft-2020-12',
    typeMode: 'input',
    ignoreActions: ['check', 'transform', 'safe_integer', 'email'],
  });

const usedUnits = { translation: 'started 100 words', analysis: 'request' } as const;

const counted = ({ length }: readonly unknown[], noun: string): string => `${length} ${noun}${length === 1 ? '' : 's'}`;

function summary(offer: Offer): string {
  const { product, version, models, plans, packs, uses, services } = offer;
  const counts = [counted(models, 'model'), counted(plans, 'plan'), counted(packs, 'pack')].join(', ');
  const used = (['translation', 'analysis'] as const).filter((service) => uses[service] !== null);
  return [
    `${product.name}, version ${version}: ${counts}.`,
    ...models.map((model) => `  ${model.id}: ${model.contextWindow} tokens, ${priceText(model.price)}`),
    ...used.map((service) => `  ${service}: ${services[service] / 1_000_000} credits per ${usedUnits[service]}`),
    ...plans.map(
      (plan) => `  ${plan.name}: ${usd(plan.priceUsd)}, ${plan.creditsPerMonth ?? 'unlimited'} credits a month`,
    ),
    ...economics(offer),
    '',
  ].join('\n');
}

/** Revenue next to costs, so that a price below cost is noticed before it is sold. */
function economics(offer: Offer): string[] {
  const revenue = revenueOf(offer);
  if (revenue.length === 0) return [];
  return [
    'A million chats of 2,000 input and 500 output tokens, each 3 s long, sold at the cheapest credits of a plan:',
    ...revenue.map(({ model, credits, usd: sold }) => {
      const credit = `${credits.toLocaleString('en-US')} credits`;
      return `  ${model}: ${credit}${sold === undefined ? '' : `, ${usd(sold)}`}`;
    }),
    `  They cost ${usd(platformCost())} on AWS, without the model.`,
  ];
}

const usd = (price: number | null): string => (price === null ? 'contact sales' : `${price.toFixed(2)} USD`);

/** Rates are credits per million tokens. */
function priceText(price: ModelPrice | null): string {
  if (!price) return "the service's price";
  const rate = (millionths: number): number => millionths / 1_000_000;
  const { perRequest, input, cachedInput, cacheWrite, output } = price;
  const parts = [
    ...(perRequest > 0 ? [`${rate(perRequest)} credits per request`] : []),
    ...(input + output > 0 ? [`${rate(input)} in, ${rate(output)} out per million tokens`] : []),
    ...(cachedInput === input ? [] : [`${rate(cachedInput)} cached`]),
    ...(cacheWrite === input ? [] : [`${rate(cacheWrite)} written to the cache`]),
  ];
  return parts.join(', ') || 'free';
}

/** Properties that customers notice, by part of the offer. */
type Facts = ReadonlyMap<string, Readonly<Record<string, string>>>;

function factsOf({ product, models, plans, packs, services }: Offer): Facts {
  return new Map<string, Readonly<Record<string, string>>>([
    ['product', productFacts(product)],
    ...models.map((model) => {
      const facts = {
        price: priceText(model.price),
        'price changes':
          model.priceChanges
            .map(({ effectiveFrom, ...price }) => `from ${effectiveFrom} ${priceText(price)}`)
            .join('; ') || 'none',
        'context window': String(model.contextWindow),
        'maximum output': String(model.maxOutputTokens),
        'smallest plan': plans.find(({ id }) => id === model.minPlanRank)?.name ?? 'none',
        'available from': model.availableFrom ?? 'always',
        'deprecated from': model.deprecatedFrom ?? 'never',
        'retired from': model.retiredFrom ?? 'never',
        'replaced by': model.replacedBy ?? 'none',
      };
      return [`model ${model.id}`, facts] as const;
    }),
    ...plans.map((plan) => {
      const facts = {
        price: usd(plan.priceUsd),
        'credits a month': String(plan.creditsPerMonth ?? 'unlimited'),
        'calls a month': String(plan.callsPerMonth ?? 'unlimited'),
        'calls a minute': String(plan.callsPerMinute ?? 'unlimited'),
        'concurrent calls': String(plan.maxConcurrentCalls),
        features: plan.features.join(', ') || 'none',
        sold: plan.hidden || plan.endsOn !== null ? 'no' : 'yes',
        'last day': plan.endsOn === null ? 'none' : `${plan.endsOn}, then ${plan.replacedBy}`,
      };
      return [`plan ${plan.name}`, facts] as const;
    }),
    ...packs.map((pack) => [`pack ${pack.id}`, { price: usd(pack.priceUsd), credits: String(pack.credits) }] as const),
    ...Object.entries(services).map(
      ([service, price]) => [`service ${service}`, { credits: String(price / 1_000_000) }] as const,
    ),
  ]);
}

/** The logo is named by its digest, because its text is long. */
function productFacts({ name, supportEmail, accent, logo, links, termsVersion }: Offer['product']) {
  return {
    name,
    'support email': supportEmail ?? 'none',
    color: accent ?? 'the default',
    logo: logo === null ? 'the default' : createHash('sha256').update(logo).digest('hex').slice(0, 12),
    ...Object.fromEntries(productLinks.map((link) => [`link to ${link}`, links[link] ?? 'none'])),
    'version of the terms': String(termsVersion),
  };
}

function difference(before: Facts, after: Facts): string {
  const removed = [...before.keys()].filter((part) => !after.has(part)).map((part) => `${part}: removed`);
  const rest = [...after].flatMap(([part, facts]) => {
    const was = before.get(part);
    if (!was) return [`${part}: new`];
    return Object.entries(facts)
      .filter(([fact, text]) => was[fact] !== text)
      .map(([fact, text]) => `${part}: ${fact} ${was[fact]} becomes ${text}`);
  });
  const lines = [...removed, ...rest];
  if (rest.some((line) => line.startsWith('plan ') && line.includes(' becomes ')))
    lines.push('Subscriptions keep the terms at which they were bought.');
  return lines.length === 0 ? 'Customers notice no change.\n' : `${lines.join('\n')}\n`;
}

try {
  process.stdout.write(run());
} catch (error) {
  if (!(error instanceof OfferError || (error instanceof TypeError && 'code' in error))) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
