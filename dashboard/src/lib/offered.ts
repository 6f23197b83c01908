import { messagesPlan, webhooksPlan } from '#contract/billing/plans.ts';
import { callableModels } from '#contract/inference/models.ts';
import { offer } from '#contract/offer/current-offer.ts';
import type { Capability } from '#contract/offer/offer.ts';

const sells = (capability: Capability): boolean =>
  callableModels().some(({ capabilities }) => capabilities.includes(capability));

/** Services and whether the deployment sells them. The first ones sold are named in `claim`. */
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

const maxNouns = 4;
const nouns = Object.entries(isSold).flatMap(([noun, isIt]) => (isIt && noun !== 'webhooks' ? [noun] : []));

/** "One API for chat, translation, speech and text analysis." */
export const claim = `One API for ${new Intl.ListFormat('en-GB').format(nouns.slice(0, maxNouns))}.`;

/** The plan without a price, if any. */
export const freePlan = offer.plans.find(({ priceUsd }) => priceUsd === 0);
