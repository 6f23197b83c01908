import { models, phaseOf } from '../inference/models.ts';
import { offer } from '../offer/current-offer.ts';
import type { Capability } from '../offer/offer.ts';
import { messagesPlan } from './plans.ts';
import { type ServiceName, serviceNames } from './prices.ts';

/** The service that a call of a capability is charged as. */
export const serviceOf: Readonly<Record<Capability, ServiceName>> = {
  chat: 'chat',
  completion: 'completion',
  embeddings: 'embeddings',
  speech: 'audio',
  transcription: 'transcription',
};

/** Services that plans and models include at the service's price, not only at prices of models. */
export const servicesAtOwnPrice = (now?: number): ServiceName[] => serviceNames.filter((name) => isSold(name, now));

function isSold(name: ServiceName, now?: number): boolean {
  if (name === 'translation') return offer.uses.translation !== null;
  if (name === 'text_analysis') return offer.uses.analysis !== null;
  if (name === 'sms' || name === 'voice_call') return messagesPlan.name !== undefined;
  return models.some(
    (model) =>
      model.price === null &&
      phaseOf(model, now) !== 'retired' &&
      model.capabilities.some((capability) => serviceOf[capability] === name),
  );
}
