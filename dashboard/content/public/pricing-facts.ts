import { messagesPlan, plansOf } from '#contract/billing/plans.ts';
import { priceText, type ServiceName, serviceNames } from '#contract/billing/prices.ts';
import type { PricingSettings } from '#contract/dashboard-config.ts';
import { type Model, models, phaseOf } from '#contract/inference/models.ts';
import { offer } from '#contract/offer/current-offer.ts';
import { offeredPacks } from '#contract/payments/packs.ts';
import { creditCount, formatDay, formatMoney, formatPrice, formatWhole } from '../../src/lib/format.ts';
import { capabilityTitles, inCredits, priceLines, rateLines, serviceOf } from '../../src/lib/model-prices.ts';
import { failedCalls, planChanges, serviceTitle } from '../../src/lib/names.ts';
import { type PlanFact, planFacts } from '../../src/lib/plan-facts.ts';
import type { Question } from './page.ts';

/** Everything that the page of prices says, for HTML and Markdown. */
export interface PricingFacts {
  readonly models: readonly ModelFacts[];
  readonly plans: readonly PlanCardFacts[];
  readonly packs: readonly { readonly credits: string; readonly price: string }[];
  readonly services: readonly { readonly title: string; readonly price: string }[];
  readonly questions: readonly Question[];
}

export interface ModelFacts {
  readonly id: string;
  /** Empty if it is the id. */
  readonly title: string;
  readonly description: string;
  /** Dates on which the model appears or ends. */
  readonly notes: readonly string[];
  readonly capabilities: string;
  readonly contextWindow: string;
  readonly maxOutput: string;
  readonly plan: string;
  readonly prices: readonly string[];
}

export interface PlanCardFacts {
  readonly title: string;
  readonly price: string;
  readonly isPaid: boolean;
  /** Null: users subscribe themselves. */
  readonly sales: { readonly email: string | null } | null;
  readonly isRecommended: boolean;
  readonly facts: readonly PlanFact[];
}

const shownPlans = offer.plans.filter(({ hidden, endsOn }) => !hidden && endsOn === null);

export function pricingFacts({ planTable, payments }: PricingSettings, now: Date): PricingFacts {
  const limitsOf = plansOf(planTable);
  return {
    models: modelFacts(now.getTime()),
    plans: shownPlans.map(({ id, title, priceUsd, recommended }) => ({
      title,
      price: formatPrice(priceUsd),
      isPaid: priceUsd !== null && priceUsd > 0,
      sales: priceUsd === null ? { email: offer.product.supportEmail } : null,
      isRecommended: recommended,
      facts: planFacts(limitsOf(id)),
    })),
    packs: (payments ? offeredPacks : []).map(({ credits, priceUsd }) => ({
      credits: creditCount(credits),
      price: formatMoney(priceUsd),
    })),
    services: serviceNames.filter(isSold).map((name) => ({ title: serviceTitle(name), price: priceText(name) })),
    questions,
  };
}

/** Models that a listed plan includes, until they are retired. */
const modelFacts = (now: number): ModelFacts[] =>
  models.flatMap((model) => {
    const { id, title, description, capabilities, contextWindow, maxOutputTokens, minPlanRank } = model;
    const plan = shownPlans.find(({ id }) => id >= minPlanRank);
    if (!plan || phaseOf(model, now) === 'retired') return [];
    const isText = capabilities.some((one) => one === 'chat' || one === 'completion');
    return [
      {
        id,
        title: title === id ? '' : title,
        description,
        notes: notesOf(model, now),
        capabilities: capabilities.map((one) => capabilityTitles[one]).join(', '),
        contextWindow: `${formatWhole(contextWindow)} tokens`,
        maxOutput: isText ? `${formatWhole(maxOutputTokens)} tokens` : '–',
        plan: plan.title,
        prices: priceLines(model, now),
      },
    ];
  });

/** Dates and later prices. */
function notesOf(model: Model, now: number): string[] {
  const { availableFrom, deprecatedFrom, retiredFrom, replacedBy, priceChanges } = model;
  const successor = replacedBy === null ? '' : `; use ${replacedBy}`;
  const laterPrices = priceChanges.filter(({ effectiveFrom }) => Date.parse(effectiveFrom) > now);
  return [
    ...(availableFrom !== null && phaseOf(model, now) === 'upcoming'
      ? [`Available from ${formatDay(availableFrom)}`]
      : []),
    ...(deprecatedFrom === null ? [] : [`Deprecated from ${formatDay(deprecatedFrom)}${successor}`]),
    ...(retiredFrom === null ? [] : [`Retired from ${formatDay(retiredFrom)}`]),
    ...laterPrices.map((price) => `From ${formatDay(price.effectiveFrom)}: ${rateLines(inCredits(price)).join(', ')}`),
  ];
}

function isSold(name: ServiceName): boolean {
  if (name === 'translation') return offer.uses.translation !== null;
  if (name === 'text_analysis') return offer.uses.analysis !== null;
  if (name === 'sms' || name === 'voice_call') return messagesPlan.name !== undefined;
  return models.some(
    ({ price, capabilities }) => price === null && capabilities.some((one) => serviceOf[one] === name),
  );
}

const questions: readonly Question[] = [
  {
    question: 'What is a credit?',
    answer: 'The unit of all prices. A call is charged its exact cost, down to a millionth of a credit.',
  },
  {
    question: 'What happens to unused credits?',
    answer:
      'Credits of a subscription roll over for up to three months. Free credits without a subscription expire at the end of their month.',
  },
  { question: 'Can I change my plan?', answer: planChanges },
  { question: 'What does a failed call cost?', answer: failedCalls },
];
