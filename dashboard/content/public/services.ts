import type { GuideSlug } from '#contract/dashboard-config.ts';
import { models } from '#contract/inference/models.ts';
import { isSold, type Service } from '../../src/lib/offered.ts';

interface ServiceText {
  /** The service that must be sold. */
  readonly of: Service;
  readonly title: string;
  readonly text: string;
  readonly guide: GuideSlug;
}

const hasTools = models.some(({ features }) => features.includes('tools'));

const all: readonly ServiceText[] = [
  {
    of: 'chat',
    title: 'Chat',
    text: `Conversations, as a stream or at once${hasTools ? ', with function calling' : ''}.`,
    guide: 'chat',
  },
  {
    of: 'translation',
    title: 'Translation',
    text: 'Whole texts from one language into another.',
    guide: 'translation',
  },
  {
    of: 'speech',
    title: 'Text-to-speech',
    text: 'Speech in several voices and formats, sent while it is generated.',
    guide: 'audio',
  },
  {
    of: 'text analysis',
    title: 'Text analysis',
    text: 'Sentiment, entities, key phrases, personal data and your own categories.',
    guide: 'analysis',
  },
  {
    of: 'transcription',
    title: 'Transcription',
    text: 'Transcripts of recordings, with timestamps.',
    guide: 'audio',
  },
  {
    of: 'embeddings',
    title: 'Embeddings',
    text: 'Vectors for search, clustering and recommendations.',
    guide: 'embeddings',
  },
  {
    of: 'text completion',
    title: 'Text completion',
    text: 'A prompt, continued by the model.',
    guide: 'completions',
  },
  {
    of: 'chat',
    title: 'Agents',
    text: `A model with your instructions, functions${isSold.embeddings ? ', documents' : ''} and stored conversations.`,
    guide: 'agents',
  },
  {
    of: 'messages',
    title: 'Messages',
    text: 'SMS and voice calls, each handed to the carrier once.',
    guide: 'messages',
  },
  { of: 'webhooks', title: 'Webhooks', text: 'Signed events for your server.', guide: 'webhooks' },
];

export const services: readonly ServiceText[] = all.filter(({ of }) => isSold[of]);
