import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { modelsOf } from '#contract/inference/models.ts';
import { defaultOffer } from '#contract/offer/default-offer.ts';
import { contrastWithWhite, type OfferFault } from '#contract/offer/offer-faults.ts';
import { readOffer } from '#contract/offer/offer-file.ts';
import type { Offer } from '#contract/offer/offer.ts';

const example = (name: string): any =>
  JSON.parse(readFileSync(new URL(`../../../../examples/offers/${name}.json`, import.meta.url), 'utf8'));

const logos: Record<string, string> = {
  'plain.svg': '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9"/><use href="#a"/></svg>',
  'script.svg': '<svg><script>alert(1)</script></svg>',
  'event.svg': '<svg onload="alert(1)"></svg>',
  'outside.svg': '<svg><image href="https://elsewhere.example/x.png"/></svg>',
  'prefix.svg': '<svg xmlns:s="http://www.w3.org/2000/svg"><s:script>alert(1)</s:script></svg>',
  'slash.svg': '<svg><g/onclick="alert(1)"></g></svg>',
  'quote.svg': '<svg><g id="a"onclick="alert(1)"></g></svg>',
  'escape.svg': '<svg><g style="fill:u\\72l(https://elsewhere.example)"/></svg>',
  'set.svg': '<svg><g style="fill:image-set(\'https://elsewhere.example\')"/></svg>',
  'style.svg': '<svg><rect style="fill:url(https://elsewhere.example)"/></svg>',
  'entity.svg': '<!DOCTYPE svg [<!ENTITY x "y">]><svg></svg>',
  'text.svg': 'no image',
};

const today = '2026-11-27';

const read = (given: unknown, isLocal = false) =>
  readOffer(given, { defaults: defaultOffer, isLocal, today, readLogo: (path) => logos[path] });
const faults = (given: unknown, isLocal = false): string[] => {
  const result = read(given, isLocal);
  return Array.isArray(result)
    ? (result as OfferFault[]).map(({ path, expected }) => `${path.join('.')} ${expected}`)
    : [];
};

describe('an offer file', () => {
  it('of the specification equals the default offer', () => {
    expect(read(example('specification'))).toEqual(defaultOffer);
    expect(faults(example('bedrock'))).toEqual([]);
  });

  it('keeps the default of each absent section and replaces each present one', () => {
    const offer = read({ version: 7, services: { translation: '0.000001' } }) as Offer;
    expect(offer).toEqual({ ...defaultOffer, version: 7, services: { ...defaultOffer.services, translation: 1 } });
    expect(read({ version: 1, plans: example('open-models').plans })).toMatchObject({
      models: defaultOffer.models,
      plans: [
        { id: 1, name: 'free', callsPerMonth: null },
        { id: 2, name: 'team', recommended: true },
      ],
    });
  });

  it('reads rates as exact amounts, and defaults cached rates to the input rate', () => {
    const offer = read(example('open-models')) as Offer;
    expect(offer.models.map(({ price }) => price)).toEqual([
      { perRequest: 0, input: 2_000_000, cachedInput: 500_000, cacheWrite: 2_000_000, output: 8_000_000 },
      { perRequest: 0, input: 200_000, cachedInput: 50_000, cacheWrite: 200_000, output: 800_000 },
      { perRequest: 0, input: 100_000, cachedInput: 100_000, cacheWrite: 100_000, output: 0 },
    ]);
  });

  it('without a chat model offers no translation and no analysis', () => {
    expect(read(example('speech'))).toMatchObject({ uses: { translation: null, analysis: null } });
  });

  it('translates and analyzes with the first chat model that is available today', () => {
    const dated = [{ retiredFrom: today }, { availableFrom: '2026-11-28' }, { deprecatedFrom: today }, {}];
    const models = dated.map((dates, index) => ({ ...model, id: `m${index}`, ...dates }));
    expect(read({ version: 1, models })).toMatchObject({ uses: { translation: 'm2', analysis: 'm2' } });
  });

  it('reads changes of a price like a price', () => {
    const priceChanges = [{ effectiveFrom: '2027-02-01', input: '0.5', output: 2 }];
    expect((read(offered({ priceChanges })) as Offer).models[0]?.priceChanges).toEqual([
      {
        effectiveFrom: '2027-02-01',
        perRequest: 0,
        input: 500_000,
        cachedInput: 500_000,
        cacheWrite: 500_000,
        output: 2_000_000,
      },
    ]);
  });

  const model = { id: 'a', capabilities: ['chat'], contextWindow: 1000, endpoints: [{ kind: 'bedrock', model: 'm' }] };
  const offered = (change: object, ...others: object[]) => ({
    version: 1,
    models: [{ ...model, ...change }, ...others],
  });
  const at = (url: string) => offered({ endpoints: [{ kind: 'openai', url, model: 'm' }] });
  const plan = { name: 'a', priceUsd: 0, creditsPerMonth: 1, callsPerMinute: 1, maxConcurrentCalls: 1 };
  const planned = (...plans: object[]) => ({ version: 1, plans: plans.map((one) => ({ ...plan, ...one })) });
  const product = (change: object) => ({ version: 1, product: { name: 'A', ...change } });

  const amount = 'must be an amount of credits of at least 0, with at most 6 decimals';
  const change = (effectiveFrom: string, price: object = { input: 1 }) => ({ effectiveFrom, ...price });
  const tooLarge = 'must be smaller: a call that fills the window exceeds 2^53 microcredits';
  it.each<[string, unknown, string]>([
    ['an unknown section', { version: 1, extras: [] }, 'extras is not a field of an offer'],
    ['no version', {}, 'version is required'],
    ['a list', [], ' must be an object'],
    [
      'a use of a model that is retired today',
      { ...offered({ retiredFrom: today }), uses: { translation: 'a', analysis: 'a' } },
      'uses.translation must be a model that is available today; a is not',
    ],
    [
      'a use of a model that is not available yet',
      { ...offered({ availableFrom: '2026-11-28' }), uses: { analysis: 'a' } },
      'uses.analysis must be a model that is available today; a is not',
    ],
    [
      'a use without a chat model',
      { version: 1, uses: { translation: 'svc-embed' } },
      'uses.translation must be the id of a model with chat; svc-embed is not one',
    ],
    ['two free plans', planned({}, { name: 'b' }), 'plans.1.priceUsd must not be 0, because the plan a is free'],
    [
      'an amount above 2^53 units',
      offered({ price: { input: '1000000000000000' } }),
      'models.0.price.input must be at most 9007199254 credits',
    ],
    [
      'a price of a model without tokens',
      offered({
        price: { input: 1 },
        capabilities: ['speech'],
        endpoints: [{ kind: 'openai', url: 'https://a.example', model: 'm' }],
      }),
      'models.0.price must be absent: speech costs its price in services',
    ],
    [
      'a plan below the smallest charge',
      planned({}, { name: 'b', priceUsd: 0.49 }),
      'plans.1.priceUsd must be 0 or at least 0.5 USD',
    ],
    ['two plans of one name', planned({}, { priceUsd: 5 }), 'plans.1.name must be unique; a is used twice'],
    [
      'plans that are not sorted',
      planned({ id: 2 }, { id: 1, name: 'b', priceUsd: 5 }),
      'plans.1.id must be larger than that of the previous plan: plans are sorted by rank',
    ],
    ['two models of one id', offered({}, model), 'models.1.id must be unique; a is used twice'],
    [
      'an alias that is an id',
      offered({ aliases: ['b'] }, { ...model, id: 'b' }),
      'models.1.id must be unique; b is used twice',
    ],
    [
      'a cycle of replacements',
      offered({ replacedBy: 'b' }, { ...model, id: 'b', replacedBy: 'a' }),
      'models.0.replacedBy must not lead back to the model',
    ],
  ])('with %s is refused, and the error names its field', (_, given, expected) => {
    expect(faults(given)).toContain(expected);
  });

  it.each<[object, string]>([
    [{ colour: 3 }, 'colour is not a field of an offer'],
    [{ replacedBy: 'z' }, 'replacedBy must be the id of another model'],
    [{ minPlan: 'gold' }, 'minPlan must be the name of a plan; gold is not one'],
    [{ price: { input: -1, output: 1 } }, `price.input ${amount}`],
    [{ price: { input: 0.0000001 } }, `price.input ${amount}`],
    [{ contextWindow: 100_000_000, price: { input: 500_000_000 } }, `price ${tooLarge}`],
    [{ price: { cachedInput: 1 } }, 'price must have input if it has cachedInput or cacheWrite'],
    [{ maxOutputTokens: 1001 }, 'maxOutputTokens must not exceed contextWindow'],
    [
      { deprecatedFrom: '2026-05-01', retiredFrom: '2026-04-01' },
      'retiredFrom must be later than deprecatedFrom, and that later than availableFrom',
    ],
    [{ retiredFrom: '2026-02-30' }, 'retiredFrom must be a day such as 2026-12-31'],
    [
      { priceChanges: [change('2027-02-01'), change('2027-02-01')] },
      'priceChanges.1.effectiveFrom must be later than that of the previous change',
    ],
    [
      { priceChanges: [change('2027-02-01', { input: 500_000_000 })], contextWindow: 100_000_000 },
      `priceChanges.0 ${tooLarge}`,
    ],
    [{ priceChanges: [change('2027-02-01', {})] }, 'priceChanges.0 must have perRequest, or input and output'],
    [{ capabilities: ['embeddings', 'chat'] }, 'dimensions is required for a model with embeddings'],
    [
      { endpoints: [{ kind: 'sagemaker', endpoint: 'a/b', family: 'vllm' }] },
      'endpoints.0.endpoint must be the name of an endpoint',
    ],
    [{ capabilities: ['chat', 'completion'] }, 'capabilities.1 must be served by an endpoint; none serves completion'],
    [
      { capabilities: ['embeddings'], dimensions: 8 },
      'endpoints.0 must serve embeddings; on Bedrock, amazon.titan-embed-text models serve embeddings, and all others serve chat',
    ],
    [
      { endpoints: [{ kind: 'sagemaker', endpoint: 'a', family: 'tei' }] },
      'endpoints.0 must serve chat; the family tei does not',
    ],
    [
      { endpoints: ['a', 'b', 'c', 'd'].map((id) => ({ kind: 'bedrock', model: id })) },
      'endpoints must have at most 3 entries',
    ],
    [
      { endpoints: [{ kind: 'bedrock', model: 'a b' }] },
      'endpoints.0.model must be the id of a model or inference profile, or an ARN',
    ],
    [
      { endpoints: [{ kind: 'bedrock', model: 'm', region: 'Virginia' }] },
      'endpoints.0.region must be a region such as us-east-1',
    ],
    [
      {
        endpoints: [
          { kind: 'bedrock', model: 'arn:aws:bedrock:eu-west-1:111111111111:inference-profile/a', region: 'us-east-1' },
        ],
      },
      'endpoints.0.region must be the region of the ARN, or absent',
    ],
  ])('with a model of %j is refused, and the error names its field', (wrong, expected) => {
    expect(faults(offered(wrong))).toContain(`models.0.${expected}`);
  });

  it('may serve the capabilities of a model from different endpoints', () => {
    const endpoints = [
      { kind: 'openai', url: 'https://models.example/v1', model: 'm' },
      { kind: 'sagemaker', endpoint: 'a', family: 'tgi' },
      { kind: 'bedrock', model: 'eu.amazon.nova-lite-v1:0', region: 'eu-west-1' },
    ];
    expect(faults(offered({ capabilities: ['chat', 'completion'], endpoints }))).toEqual([]);
  });

  it.each([
    ['http://models.example/v1', 'must begin with https://'],
    ...['ftp://models.example/v1', 'https://user:key@models.example/v1', 'https://models.example/v1#a'].map((url) => [
      url,
      'must be a URL of http or https, without user, password and fragment',
    ]),
  ])('with a model behind %s is refused', (url, expected) => {
    expect(faults(at(url))).toContain(`models.0.endpoints.0.url ${expected}`);
  });

  const scripts = 'logo must not contain scripts, events or declarations';
  const outside = 'logo must not refer to anything outside the file';
  it.each<[object, string]>([
    [{ links: { terms: 'http://a.example' } }, 'links.terms must be a link that begins with https://'],
    [{ accent: '#ffd400' }, 'accent must have a contrast of at least 4.5 with white; #ffd400 has 1.43'],
    ...['script', 'event', 'prefix', 'slash', 'quote'].map((name): [object, string] => [
      { logo: `${name}.svg` },
      scripts,
    ]),
    ...['outside', 'style', 'escape', 'set'].map((name): [object, string] => [{ logo: `${name}.svg` }, outside]),
    [{ logo: 'entity.svg' }, 'logo must be an SVG file'],
    [{ logo: 'text.svg' }, 'logo must be an SVG file'],
    [{ logo: '../plain.svg' }, 'logo must be the name of an SVG file in the folder of the offer'],
    [{ logo: 'none.svg' }, 'logo must be the name of an SVG file in the folder of the offer'],
  ])('with a product of %j is refused, and the error names its field', (wrong, expected) => {
    expect(faults(product(wrong))).toContain(`product.${expected}`);
  });

  it('may name a model on this machine only if it is served locally', () => {
    expect(faults(at('http://127.0.0.1:11434/v1'))).not.toEqual([]);
    expect(faults(at('http://127.0.0.1:11434/v1'), true)).toEqual([]);
    expect(faults(at('http://127.0.0.1.example/v1'), true)).not.toEqual([]);
  });

  it('may contain a logo, but no scripts or external references', () => {
    expect(faults(product({ logo: 'plain.svg' }))).toEqual([]);
  });

  it('computes the contrast of a color with white', () => {
    expect([contrastWithWhite('#000000'), contrastWithWhite('#ffffff')]).toEqual([21, 1]);
  });

  it('has the prices of plans and packs in USD', () => {
    const given = {
      ...planned({}, { name: 'b', priceUsd: 29.99 }),
      packs: [{ id: 'a', credits: 1, priceUsd: '5.57' }],
    };
    const { plans, packs } = read(given) as Offer;
    expect([plans[1]?.priceUsd, packs[0]?.priceUsd]).toEqual([29.99, 5.57]);
  });

  it('sells a default model by the next plan of its rank, and none above its largest plan', () => {
    const { plans } = read(planned({ id: 2 }, { id: 6, name: 'b', priceUsd: 5 })) as Offer;
    const ranks = (offered: Offer['plans']) =>
      modelsOf({ models: defaultOffer.models, plans: offered }).map(({ id, minPlanRank }) => [id, minPlanRank]);
    expect(Object.fromEntries(ranks(plans))).toMatchObject({ 'svc-1': 2, 'svc-1-32k': 6 });
    expect(ranks(plans.slice(0, 1)).map(([id]) => id)).not.toContain('svc-1-32k');
  });
});
