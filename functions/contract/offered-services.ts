import { messagesPlan, webhooksPlan } from './billing/plans.ts';
import { type ServiceName, serviceNames } from './billing/prices.ts';
import type { GuideSlug } from './dashboard-config.ts';
import { callableModels, models, phaseOf } from './inference/models.ts';
import { offer } from './offer/current-offer.ts';
import type { Capability } from './offer/offer.ts';

const sells = (capability: Capability): boolean =>
  callableModels().some(({ capabilities }) => capabilities.includes(capability));

/** Services by their names for customers, and whether the deployment sells them. */
export const isSold = {
  chat: sells('chat'),
  translation: offer.uses.translation !== null,
  speech: sells('speech'),
  'text analysis': offer.uses.analysis !== null,
  transcription: sells('transcription'),
  embeddings: sells('embeddings'),
  'text completion': sells('completion'),
  messages: messagesPlan.name !== undefined,
  webhooks: webhooksPlan.name !== undefined,
} as const;
export type Service = keyof typeof isSold;

/** The service behind each name in charges. */
export const serviceOfCharge: Readonly<Record<ServiceName, Service>> = {
  translation: 'translation',
  text_analysis: 'text analysis',
  audio: 'speech',
  transcription: 'transcription',
  voice_call: 'messages',
  sms: 'messages',
  chat: 'chat',
  completion: 'text completion',
  embeddings: 'embeddings',
};

/** The service that a call of a capability is charged as. */
export const serviceOf: Readonly<Record<Capability, ServiceName>> = {
  chat: 'chat',
  completion: 'completion',
  embeddings: 'embeddings',
  speech: 'audio',
  transcription: 'transcription',
};

/** Services that plans and models include at the service's price, not only at prices of models. */
export const servicesAtOwnPrice = (now?: number): ServiceName[] =>
  serviceNames.filter((name) =>
    Object.values(serviceOf).includes(name) ? hasModelAtOwnPrice(name, now) : isSold[serviceOfCharge[name]],
  );

const hasModelAtOwnPrice = (name: ServiceName, now?: number): boolean =>
  models.some(
    (model) =>
      model.price === null &&
      phaseOf(model, now) !== 'retired' &&
      model.capabilities.some((capability) => serviceOf[capability] === name),
  );

/** Services that a guide describes. Other guides apply to every deployment. */
const servicesOfGuide: Readonly<Partial<Record<GuideSlug, readonly Service[]>>> = {
  responses: ['chat'],
  'anthropic-sdks': ['chat'],
  chat: ['chat'],
  completions: ['text completion'],
  streams: ['chat', 'text completion'],
  'function-calling': ['chat'],
  embeddings: ['embeddings'],
  analysis: ['text analysis'],
  agents: ['chat'],
  translation: ['translation'],
  audio: ['speech', 'transcription'],
  messages: ['messages'],
  webhooks: ['webhooks'],
};

/** Services of the operations whose paths match. Other operations apply to every deployment. */
const servicesOfPath: readonly (readonly [RegExp, Service])[] = [
  [/\/chat\/|\/responses|^\/anthropic|^\/api\/agents/, 'chat'],
  [/v1\/completions$/, 'text completion'],
  [/\/embeddings$/, 'embeddings'],
  [/\/analyze$/, 'text analysis'],
  [/\/translate$/, 'translation'],
  [/\/speech$|\/voices$/, 'speech'],
  [/\/transcri|\/audio\/translations$|\/uploads$/, 'transcription'],
  [/^\/api\/messages/, 'messages'],
  [/^\/api\/webhooks/, 'webhooks'],
];

interface DocumentLink {
  readonly href: string;
  /** Path of an operation. */
  readonly path?: string;
}

/** Whether the guide at a link, or the operation at a path, belongs to an offered service. */
export function isDocumentOffered({ href, path }: DocumentLink, isOffered: (service: Service) => boolean): boolean {
  if (path !== undefined) {
    const service = servicesOfPath.find(([pattern]) => pattern.test(path))?.[1];
    return service === undefined || isOffered(service);
  }
  const [, slug] = /^\/guides\/([^#]+)/.exec(href) ?? [];
  return (
    Object.entries(servicesOfGuide)
      .find(([guide]) => guide === slug)?.[1]
      .some(isOffered) ?? true
  );
}

/** Whether the plan of an account may include a service: it is sold, or plans on older terms can have it. */
export const canBeIncluded = (service: Service): boolean =>
  isSold[service] || service === 'messages' || service === 'webhooks';
