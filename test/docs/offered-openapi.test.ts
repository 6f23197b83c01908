import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { defaultOffer, defaultPacks } from '#contract/offer/default-offer.ts';
import type { Offer } from '#contract/offer/offer.ts';
import { loadOffer } from '#lib/offer.ts';
import { violations } from '#test/contract/json-schema.ts';
import { readDocument, shownBodies } from '#test/contract/openapi.ts';

/** The API document of an offer. A process has one offer only. */
async function documentOf(offer: Offer): Promise<string> {
  const script = `import { generatedDocs } from './bin/openapi/document.ts';
process.stdout.write(Object.fromEntries(await generatedDocs())['openapi.json']);`;
  const env = { ...process.env, OFFER: JSON.stringify(offer) };
  const args = ['--input-type=module', '--eval', script];
  return (await promisify(execFile)(process.execPath, args, { env, maxBuffer: 2 ** 26 })).stdout;
}

const namesOf = ({ models, plans, packs }: Pick<Offer, 'models' | 'plans' | 'packs'>): string[] => [
  ...models.flatMap(({ id, title }) => [id, title]),
  ...plans.flatMap(({ name, title }) => [name, title]),
  ...packs.map(({ id }) => id),
];

const load = (name: string): Offer => loadOffer(`examples/offers/${name}`, { isLocal: true });
const voice = load('speech.json');
const plansOnly = load('bedrock.json').plans;
const offers: readonly (readonly [name: string, offer: Offer])[] = [
  ...readdirSync('examples/offers')
    .filter((name) => name !== 'offer.schema.json')
    .map((name) => [name, load(name)] as const),
  ['one plan without a price', { ...voice, plans: plansOnly.slice(0, 1).map((plan) => ({ ...plan, priceUsd: null })) }],
];

describe.each(offers)('the API document of %s', (_, offer) => {
  it('has examples that its schemas allow, with the models, plans, packs and services of the offer only', async () => {
    const text = await documentOf(offer);
    const own = new Set(namesOf(offer));
    const foreign = namesOf({ ...defaultOffer, packs: defaultPacks }).filter((name) => !own.has(name));
    expect(foreign.filter((name) => new RegExp(`\\b${name}\\b(?!-)`).test(text))).toEqual([]);

    const { operations, resolve } = readDocument(JSON.parse(text));
    const faults = operations.flatMap((operation) =>
      [
        ...shownBodies(operation).flatMap((body) =>
          violations(operation.body!.schema, body, { resolve, closed: true }),
        ),
        ...operation.parameters.flatMap(({ example, schema }) =>
          example ? violations(schema, example, { resolve }) : [],
        ),
        ...[...operation.responses.values()].flatMap(({ content }) =>
          Object.values(content).flatMap(({ schema, example }) =>
            example === undefined || example === null ? [] : violations(schema, example, { resolve, closed: true }),
          ),
        ),
      ].map((fault) => `${operation.name}: ${fault}`),
    );
    expect(faults).toEqual([]);

    const sells = (capability: string): boolean =>
      offer.models.some(({ capabilities }) => capabilities.some((one) => one === capability));
    const paths = new Set(operations.map(({ path }) => path));
    expect(paths.has('/v1/chat/completions')).toBe(sells('chat'));
    expect(paths.has('/openai/v1/audio/translations')).toBe(sells('transcription'));
    expect(paths.has('/api/ai/translate')).toBe(offer.uses.translation !== null);
    const hasWebhooks = offer.plans.some(({ features }) => features.includes('webhooks'));
    expect([paths.has('/api/webhooks'), /"credits\.low": \{/.test(text)]).toEqual([hasWebhooks, hasWebhooks]);
  }, 60_000);
});
