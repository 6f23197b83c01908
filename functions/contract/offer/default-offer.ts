import type { Model, Offer, OfferedPlan } from './offer.ts';

/** The specification's offer (docs/specification.md#plans, #credits, #limits), in force unless a deployer has one. */
export const defaultOffer: Offer = {
  version: 1,
  product: { name: 'Text AI platform', supportEmail: null, accent: null, logo: null, links: {}, termsVersion: 1 },
  models: [
    textModel('svc-1', 4096),
    textModel('svc-1-32k', 32_768, 4),
    textModel('svc-instruct', 4096),
    textModel('svc-code', 8192),
    model('svc-embed', ['embeddings'], 8192, 'vllm', { dimensions: 1536 }),
    model('svc-speech', ['speech'], 4096, 'omni'),
    model('svc-transcribe', ['transcription'], 448, 'whisperx'),
  ],
  uses: { translation: 'svc-instruct', analysis: 'svc-instruct' },
  services: {
    chat: 1_000_000,
    completion: 1_000_000,
    embeddings: 1_000_000,
    translation: 10_000_000,
    analysis: 5_000_000,
    speech: 50_000_000,
    transcription: 1_000_000,
    messages: 2_000_000,
  },
  plans: [
    plan(1, 'freemium', 'Freemium', 0, 100, 10, 5, []),
    plan(2, 'dev_pass', 'Dev Pass', 29.99, 5000, 100, 20, ['messages']),
    plan(3, 'smm_pass', 'SMME Pass', 99.99, 25_000, 500, 50, ['messages', 'webhooks']),
    plan(4, 'pro_pass', 'Pro Pass', 299.99, 100_000, 2000, 100, ['messages', 'webhooks']),
    plan(5, 'enterprise', 'Enterprise', null, null, null, 1000, ['messages', 'webhooks']),
  ],
  packs: [],
};

/** Sold with the default offer where payments are taken. */
export const defaultPacks: Offer['packs'] = [
  { id: 'credits_500', credits: 500, priceUsd: 5 },
  { id: 'credits_3000', credits: 3000, priceUsd: 20 },
  { id: 'credits_10000', credits: 10_000, priceUsd: 60 },
];

/**
 * Values of the plan overview (docs/specification.md#plans), which differ from the listing's. A stage may enforce them
 * instead. Null if the overview has no value; in `callsPerMonth`, null means unlimited. Prices in USD.
 */
export const planOverview = [
  { name: 'freemium', price: 0, callsPerMonth: 10, callsPerMinute: 5 },
  { name: 'dev_pass', price: 19, callsPerMonth: 1000, callsPerMinute: 20 },
  { name: 'smm_pass', price: 129, callsPerMonth: 10_000, callsPerMinute: null },
  { name: 'pro_pass', price: 399, callsPerMonth: 100_000, callsPerMinute: 500 },
  { name: 'enterprise', price: null, callsPerMonth: null, callsPerMinute: null },
] as const;

function textModel(id: string, contextWindow: number, minPlanRank = 1): Model {
  return model(id, ['chat', 'completion'], contextWindow, 'vllm', { minPlanRank, features: ['tools', 'json'] });
}

function model(
  id: string,
  capabilities: Model['capabilities'],
  contextWindow: number,
  family: 'vllm' | 'omni' | 'whisperx',
  more: Partial<Model> = {},
): Model {
  return {
    id,
    aliases: [],
    title: id,
    description: '',
    capabilities,
    contextWindow,
    maxOutputTokens: contextWindow,
    dimensions: null,
    minPlanRank: 1,
    endpoints: [{ kind: 'sagemaker', endpoint: id, family }],
    price: null,
    priceChanges: [],
    features: [],
    availableFrom: null,
    deprecatedFrom: null,
    retiredFrom: null,
    replacedBy: null,
    ...more,
  };
}

function plan(
  id: number,
  name: string,
  title: string,
  priceUsd: number | null,
  creditsPerMonth: number | null,
  callsPerMinute: number | null,
  maxConcurrentCalls: number,
  features: OfferedPlan['features'],
): OfferedPlan {
  const limits = { creditsPerMonth, callsPerMonth: null, callsPerMinute, maxConcurrentCalls };
  return {
    id,
    name,
    title,
    priceUsd,
    ...limits,
    features,
    recommended: false,
    hidden: false,
    endsOn: null,
    replacedBy: null,
  };
}
