import type * as v from 'valibot';
import type { lotSource } from '#contract/billing/credits.ts';
import { offer } from '#contract/offer/current-offer.ts';

/** Returns the plan's name for a `planId`, which is a number in a string or already the name. */
export const planNameOf = (planId: string): string => planOf(planId)?.name ?? planId;
export const planTitle = (planId: string): string => planOf(planId)?.title ?? planId;

const planOf = (planId: string) => offer.plans.find(({ id, name }) => name === planId || String(id) === planId);

/** The plan's name after "the" in a sentence: "Dev Pass", "Freemium plan". */
export function planInSentence(planId: string): string {
  const title = planTitle(planId);
  return title.endsWith('Pass') ? title : `${title} plan`;
}

/** Keys with this name and a short life belong to the playground, which keeps them in memory. */
export const playgroundKeyName = 'Playground';

const services: Readonly<Record<string, string>> = {
  translation: 'Translation',
  text_analysis: 'Text analysis',
  audio: 'Text-to-speech',
  transcription: 'Transcription',
  voice_call: 'Voice calls',
  sms: 'SMS',
  chat: 'Chat',
  completion: 'Completion',
  embeddings: 'Embeddings',
};
export const serviceTitle = (service: string): string => services[service] ?? service;

export const sourceTitles: Readonly<Record<v.InferOutput<typeof lotSource>, string>> = {
  plan: 'Plan credits',
  free: 'Free allowance',
  purchase: 'Granted credits',
};
