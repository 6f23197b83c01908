import { i18n, type MessageDescriptor } from '@lingui/core';
import { msg, t } from '@lingui/core/macro';
import type * as v from 'valibot';
import type { lotSource } from '#contract/billing/credits.ts';
import { offer } from '#contract/offer/current-offer.ts';
import { isSold, type Service } from '#contract/offered-services.ts';
import { creditCount, formatList } from './format.ts';

const maxNouns = 4;
const nouns: readonly (readonly [Service, MessageDescriptor])[] = [
  ['chat', msg`chat`],
  ['translation', msg`translation`],
  ['speech', msg`speech`],
  ['text analysis', msg`text analysis`],
  ['transcription', msg`transcription`],
  ['embeddings', msg`embeddings`],
  ['text completion', msg`text completion`],
  ['messages', msg`messages`],
];

/** Names the first services that are sold: "One API for chat, translation, speech and text analysis." */
export function claim(): string {
  const sold = nouns.filter(([service]) => isSold[service]).map(([, noun]) => i18n._(noun));
  const services = formatList(sold.slice(0, maxNouns));
  return t`One API for ${services}.`;
}

/** The plan without a price, if any. */
export const freePlan = offer.plans.find(({ priceUsd }) => priceUsd === 0);

/** Returns the plan's name for a `planId`, which is a number in a string or already the name. */
export const planNameOf = (planId: string): string => planOf(planId)?.name ?? planId;
export const planTitle = (planId: string): string => planOf(planId)?.title ?? planId;

/** The price of a subscription in USD. Null if sales agreed the price, which is stored as 0. */
export const agreedPrice = ({ planId, price }: { readonly planId: string; readonly price: number }): number | null =>
  price === 0 && planOf(planId)?.priceUsd === null ? null : price;

const planOf = (planId: string) => offer.plans.find(({ id, name }) => name === planId || String(id) === planId);

/** The plan's name after "the" in a sentence: "Dev Pass", "Freemium plan". */
export function planInSentence(planId: string): string {
  const title = planTitle(planId);
  return title.endsWith('Pass') ? title : t`${title} plan`;
}

const freeCredits = (): string => {
  const credits = creditCount(freePlan?.creditsPerMonth ?? 0);
  return t`${credits} per month`;
};

/** Both texts are empty if no plan grants free credits. */
export function freeCreditsText(): string {
  const credits = freeCredits();
  return freePlan?.creditsPerMonth ? t`${credits} for free. No card required.` : '';
}

export function freePlanText(): string {
  if (!freePlan?.creditsPerMonth) return '';
  const [plan, credits] = [planInSentence(freePlan.name), freeCredits()];
  return t`The ${plan} has ${credits}.`;
}

/** The effect of a plan change, for the plans page and the pricing page. */
export const planChanges = (): string =>
  t`Upgrades take effect immediately and cost the difference for the rest of the billing period, prorated to the second. Downgrades take effect on the next billing date. After a cancellation, credits can be spent for at least 30 days.`;

export const failedCalls = (): string =>
  t`Nothing. A stream that breaks off costs at most its input and the delivered text.`;

/** Keys with this name and a short life belong to the playground, which keeps them in memory. */
export const playgroundKeyName = 'Playground';

const services: Readonly<Record<string, string>> = {
  get translation() {
    return t`Translation`;
  },
  get text_analysis() {
    return t`Text analysis`;
  },
  get audio() {
    return t`Text-to-speech`;
  },
  get transcription() {
    return t`Transcription`;
  },
  get voice_call() {
    return t`Voice calls`;
  },
  sms: 'SMS',
  get chat() {
    return t`Chat`;
  },
  get completion() {
    return t`Completion`;
  },
  get embeddings() {
    return t`Embeddings`;
  },
};
export const serviceTitle = (service: string): string => services[service] ?? service;

export const sourceTitles: Readonly<Record<v.InferOutput<typeof lotSource>, string>> = {
  get plan() {
    return t`Plan credits`;
  },
  get free() {
    return t`Free allowance`;
  },
  get purchase() {
    return t`Granted credits`;
  },
};
