import { messagesPlan, webhooksPlan } from '#contract/billing/plans.ts';
import type { GuideSlug } from '#contract/dashboard-config.ts';
import { models } from '#contract/inference/models.ts';
import { offer } from '#contract/offer/current-offer.ts';
import type { Capability } from '#contract/offer/offer.ts';

/** A service that the deployment sells. */
export interface OfferedPart {
  readonly title: string;
  readonly text: string;
  readonly guide: GuideSlug;
  /** In "One API for …". */
  readonly noun?: string;
}

const sells = (capability: Capability): boolean => models.some(({ capabilities }) => capabilities.includes(capability));
const hasTools = models.some(({ features }) => features.includes('tools'));

/** By importance: the first ones are named in `claim`. */
const parts: readonly (OfferedPart & { readonly isSold: boolean })[] = [
  {
    title: 'Chat',
    text: `Conversations, as a stream or at once${hasTools ? ', with function calling' : ''}.`,
    guide: 'chat',
    noun: 'chat',
    isSold: sells('chat'),
  },
  {
    title: 'Translation',
    text: 'Whole texts from one language into another.',
    guide: 'translation',
    noun: 'translation',
    isSold: offer.uses.translation !== null,
  },
  {
    title: 'Text-to-speech',
    text: 'Speech in several voices and formats, sent while it is generated.',
    guide: 'audio',
    noun: 'speech',
    isSold: sells('speech'),
  },
  {
    title: 'Text analysis',
    text: 'Sentiment, entities, key phrases, personal data and your own categories.',
    guide: 'analysis',
    noun: 'text analysis',
    isSold: offer.uses.analysis !== null,
  },
  {
    title: 'Transcription',
    text: 'Transcripts of recordings, with timestamps.',
    guide: 'audio',
    noun: 'transcription',
    isSold: sells('transcription'),
  },
  {
    title: 'Embeddings',
    text: 'Vectors for search, clustering and recommendations.',
    guide: 'embeddings',
    noun: 'embeddings',
    isSold: sells('embeddings'),
  },
  {
    title: 'Text completion',
    text: 'A prompt, continued by the model.',
    guide: 'completions',
    noun: 'text completion',
    isSold: sells('completion'),
  },
  {
    title: 'Agents',
    text: `A model with your instructions, functions${sells('embeddings') ? ', documents' : ''} and stored conversations.`,
    guide: 'agents',
    isSold: sells('chat'),
  },
  {
    title: 'Messages',
    text: 'SMS and voice calls, each handed to the carrier once.',
    guide: 'messages',
    isSold: messagesPlan.name !== undefined,
  },
  {
    title: 'Webhooks',
    text: 'Signed events for your server.',
    guide: 'webhooks',
    isSold: webhooksPlan.name !== undefined,
  },
];

export const offeredParts: readonly OfferedPart[] = parts.filter(({ isSold }) => isSold);

const maxNouns = 4;
const nouns = offeredParts.flatMap(({ noun }) => noun ?? []).slice(0, maxNouns);

/** "One API for chat, translation, speech and text analysis." */
export const claim = `One API for ${new Intl.ListFormat('en-GB').format(nouns)}.`;

/** The smallest plan without a price, if any. */
export const freePlan = offer.plans.find(({ priceUsd }) => priceUsd === 0);
