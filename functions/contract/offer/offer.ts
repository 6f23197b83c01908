export const capabilities = ['chat', 'completion', 'embeddings', 'speech', 'transcription'] as const;
export type Capability = (typeof capabilities)[number];

/** Families of SageMaker model containers. Each has its own API (docs/inference.md#container-contracts). */
export const containerFamilies = ['vllm', 'lmi', 'tgi', 'tei', 'omni', 'whisperx'] as const;
export type ContainerFamily = (typeof containerFamilies)[number];

/** The models, plans and prices of a deployment, as returned by `readOffer` (docs/offer.md). */
export interface Offer {
  readonly version: number;
  readonly product: Product;
  readonly models: readonly Model[];
  /** Ids of the chat models for translation and analysis. Null if the service is not offered. */
  readonly uses: Readonly<Record<ModelUse, string | null>>;
  /** Credits of a service per unit (`contract/billing/prices.ts`). */
  readonly services: Readonly<Record<OfferedService, number>>;
  /** In ascending order. The position is the rank. */
  readonly plans: readonly OfferedPlan[];
  readonly packs: readonly Pack[];
}

export interface Product {
  readonly name: string;
  readonly supportEmail: string | null;
  readonly accent: string | null;
  /** SVG. */
  readonly logo: string | null;
  readonly links: Readonly<Partial<Record<ProductLink, string>>>;
  /** Users accept each version of terms and privacy policy. */
  readonly termsVersion: number;
}

export type ModelUse = 'translation' | 'analysis';

export const productLinks = ['terms', 'privacy', 'status', 'docs'] as const;
export type ProductLink = (typeof productLinks)[number];

export const offeredServices = [
  'chat',
  'completion',
  'embeddings',
  'translation',
  'analysis',
  'speech',
  'transcription',
  'messages',
] as const;
export type OfferedService = (typeof offeredServices)[number];

/** A model of a server with OpenAI's API, at its base URL such as `https://models.acme.example/v1`. */
export interface OpenAiEndpoint {
  readonly kind: 'openai';
  readonly url: string;
  readonly model: string;
  /** Secret of Secrets Manager with the API key; on one machine the environment variable of `secretVariable`. */
  readonly secret?: string | undefined;
}

/** `acme-models` is the variable `ACME_MODELS`. */
export const secretVariable = (secret: string): string => secret.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_');

/** A container behind an endpoint of SageMaker. */
export interface SageMakerEndpoint {
  readonly kind: 'sagemaker';
  readonly endpoint: string;
  readonly family: ContainerFamily;
  readonly component?: string | undefined;
}

/** A model of Amazon Bedrock: the id of a model or inference profile, or an ARN. Default region: the stage's. */
export interface BedrockEndpoint {
  readonly kind: 'bedrock';
  readonly model: string;
  readonly region?: string | undefined;
}

export type OfferedEndpoint = SageMakerEndpoint | OpenAiEndpoint | BedrockEndpoint;

/** Endpoints of a model, tried in order (docs/inference.md#fallback). */
export const maxEndpoints = 3;

const servedBy: Readonly<Record<ContainerFamily, readonly Capability[]>> = {
  vllm: ['chat', 'completion', 'embeddings'],
  lmi: ['chat', 'completion', 'embeddings'],
  tgi: ['chat', 'completion'],
  tei: ['embeddings'],
  omni: ['speech'],
  whisperx: ['transcription'],
};

/** Models of Bedrock whose embeddings are served. Others need an input type that our API does not have. */
export const bedrockEmbeddings = /(?:^|[./])amazon\.titan-embed-text-/;

/** Whether calls of a capability are sent to an endpoint. Servers with OpenAI's API may serve all. */
export function servesCapability(endpoint: OfferedEndpoint, capability: Capability): boolean {
  if (endpoint.kind === 'sagemaker') return servedBy[endpoint.family].includes(capability);
  if (endpoint.kind === 'openai') return true;
  return capability === (bedrockEmbeddings.test(endpoint.model) ? 'embeddings' : 'chat');
}

export const modelFeatures = ['tools', 'json', 'reasoning'] as const;
export type ModelFeature = (typeof modelFeatures)[number];

/** A model of the catalog (docs/inference.md#models, docs/specification.md#versioning). */
export interface Model {
  readonly id: string;
  readonly aliases: readonly string[];
  readonly title: string;
  readonly description: string;
  readonly capabilities: readonly Capability[];
  /** Tokens. */
  readonly contextWindow: number;
  /** Tokens. */
  readonly maxOutputTokens: number;
  readonly dimensions: number | null;
  /** Rank of the smallest plan that may use the model. */
  readonly minPlanRank: number;
  /** Tried in order. A stage may override them. */
  readonly endpoints: readonly OfferedEndpoint[];
  /** Price until the first change; see `priceAt`. Null if the price of the service applies. */
  readonly price: ModelPrice | null;
  /** Earliest first. */
  readonly priceChanges: readonly PriceChange[];
  readonly features: readonly ModelFeature[];
  /** Days as `2026-12-31`, in UTC. */
  readonly availableFrom: string | null;
  readonly deprecatedFrom: string | null;
  readonly retiredFrom: string | null;
  readonly replacedBy: string | null;
}

/**
 * `perRequest` in microcredits; the others in millionths of a microcredit per token, which is credits per million
 * tokens with six decimals.
 */
export interface ModelPrice {
  readonly perRequest: number;
  readonly input: number;
  readonly cachedInput: number;
  readonly cacheWrite: number;
  readonly output: number;
}

/** `effectiveFrom`: the day, in UTC, from which calls are admitted at this price. */
export interface PriceChange extends ModelPrice {
  readonly effectiveFrom: string;
}

export const planFeatures = ['messages', 'webhooks'] as const;
export type PlanFeature = (typeof planFeatures)[number];

export interface OfferedPlan {
  readonly id: number;
  readonly name: string;
  readonly title: string;
  /** USD a month. Null means contact sales. */
  readonly priceUsd: number | null;
  /** Null means unlimited. */
  readonly creditsPerMonth: number | null;
  readonly callsPerMonth: number | null;
  readonly callsPerMinute: number | null;
  readonly maxConcurrentCalls: number;
  readonly features: readonly PlanFeature[];
  readonly recommended: boolean;
  /** Neither listed nor sold. Accounts keep it, and operators can assign it. */
  readonly hidden: boolean;
  /** Last day, as `2026-12-31`, in UTC. From then on, renewals change to `replacedBy`. */
  readonly endsOn: string | null;
  readonly replacedBy: string | null;
}

export interface Pack {
  readonly id: string;
  readonly credits: number;
  readonly priceUsd: number;
}

/** Prefixes of system-defined inference profiles (Bedrock "Supported Regions and models for inference profiles"). */
const profile = /^(?:us|us-gov|eu|apac|au|ca|jp|global)\.(?<model>.+)$/;

const isArn = (model: string): boolean => model.startsWith('arn:');

/** Region of the calls. Default: the region of the functions. */
export const bedrockRegion = ({ model, region }: BedrockEndpoint): string | undefined =>
  (isArn(model) ? model.split(':')[3] : undefined) || region;

/** `model` is the model behind a system-defined profile. The profile of an application does not name its model. */
export type BedrockModel =
  | { readonly kind: 'model'; readonly id: string }
  | { readonly kind: 'profile'; readonly id: string; readonly model: string }
  | { readonly kind: 'arn'; readonly arn: string; readonly isProfile: boolean };

export function bedrockModel({ model }: BedrockEndpoint): BedrockModel {
  if (isArn(model)) return { kind: 'arn', arn: model, isProfile: /:(?:application-)?inference-profile\//.test(model) };
  const routed = profile.exec(model)?.groups?.['model'];
  return routed === undefined ? { kind: 'model', id: model } : { kind: 'profile', id: model, model: routed };
}
