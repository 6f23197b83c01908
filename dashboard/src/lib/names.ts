import type * as v from 'valibot';
import type { lotSource } from '#contract/billing/credits.ts';

/** Titles by plan name. */
const plans: Readonly<Record<string, string>> = {
  freemium: 'Freemium',
  dev_pass: 'Dev Pass',
  smm_pass: 'SMME Pass',
  pro_pass: 'Pro Pass',
  enterprise: 'Enterprise',
};
const planIds: Readonly<Record<string, string>> = {
  1: 'freemium',
  2: 'dev_pass',
  3: 'smm_pass',
  4: 'pro_pass',
  5: 'enterprise',
};

/** Returns the plan's name for a `planId`, which is a number in a string or already the name. */
export const planNameOf = (planId: string): string => planIds[planId] ?? planId;
export const planTitle = (planId: string): string => plans[planNameOf(planId)] ?? planId;

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
