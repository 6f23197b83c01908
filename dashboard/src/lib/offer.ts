import type * as v from 'valibot';
import type { lotSource } from '#contract/billing/credits.ts';
import { offer } from '#contract/offer/current-offer.ts';
import { isSold } from '#contract/offered-services.ts';
import { creditCount } from './format.ts';

const maxNouns = 4;
const nouns = Object.entries(isSold).flatMap(([noun, isIt]) => (isIt && noun !== 'webhooks' ? [noun] : []));

/** Names the first services that are sold: "One API for chat, translation, speech and text analysis." */
export const claim = `One API for ${new Intl.ListFormat('en-GB').format(nouns.slice(0, maxNouns))}.`;

/** The plan without a price, if any. */
export const freePlan = offer.plans.find(({ priceUsd }) => priceUsd === 0);

/** Returns the plan's name for a `planId`, which is a number in a string or already the name. */
export const planNameOf = (planId: string): string => planOf(planId)?.name ?? planId;
export const planTitle = (planId: string): string => planOf(planId)?.title ?? planId;

const planOf = (planId: string) => offer.plans.find(({ id, name }) => name === planId || String(id) === planId);

/** The plan's name after "the" in a sentence: "Dev Pass", "Freemium plan". */
export function planInSentence(planId: string): string {
  const title = planTitle(planId);
  return title.endsWith('Pass') ? title : `${title} plan`;
}

const freeCredits = freePlan?.creditsPerMonth ? `${creditCount(freePlan.creditsPerMonth)} per month` : '';

/** Both texts are empty if no plan grants free credits. */
export const freeCreditsText = freeCredits && `${freeCredits} for free. No card required.`;
export const freePlanText = freePlan && freeCredits ? `The ${planInSentence(freePlan.name)} has ${freeCredits}.` : '';

/** The effect of a plan change, for the plans page and the pricing page. */
export const planChanges =
  'Upgrades take effect immediately and cost the difference for the rest of the billing period, prorated to the second. Downgrades take effect on the next billing date. After a cancellation, credits can be spent for at least 30 days.';

export const failedCalls = 'Nothing. A stream that breaks off costs at most its input and the delivered text.';

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
