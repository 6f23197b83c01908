import { tokenCost } from '#contract/billing/cost.ts';
import { microPerCredit } from '#contract/billing/prices.ts';
import type { Offer, OfferedPlan } from '#contract/offer/offer.ts';
import { routes } from '#contract/routes.ts';
import { costOfCalls, sumOf } from './cost.ts';

const calls = 1_000_000;

/** A typical chat: 3 s, 2,000 input and 500 output tokens. */
const use = { input: 2000, output: 500 };
const chat = {
  seconds: 3,
  isStream: false,
  memoryMb: routes.createChatCompletion.memoryMb,
  responseBytes: 2000,
  concurrentCalls: 5,
};

/** USD for a million typical chats, on AWS without the model. */
export const platformCost = (): number => sumOf(costOfCalls(calls, chat));

/** What a million typical chats bring in: credits, and USD at the plan with the cheapest credits. */
export interface Revenue {
  readonly model: string;
  readonly credits: number;
  /** Undefined if no plan sells credits at a price. */
  readonly usd: number | undefined;
}

export function revenueOf({ models, plans, services }: Offer): Revenue[] {
  const usdPerCredit = cheapestCredit(plans);
  return models
    .filter(({ capabilities }) => capabilities.includes('chat'))
    .map(({ id, price }) => {
      const micro = price ? tokenCost(price, use) : services.chat;
      const credits = (micro * calls) / microPerCredit;
      return { model: id, credits, usd: usdPerCredit === undefined ? undefined : credits * usdPerCredit };
    });
}

function cheapestCredit(plans: readonly OfferedPlan[]): number | undefined {
  const prices = plans.flatMap(({ priceUsd, creditsPerMonth }) =>
    priceUsd && creditsPerMonth ? [priceUsd / creditsPerMonth] : [],
  );
  return prices.length === 0 ? undefined : Math.min(...prices);
}
