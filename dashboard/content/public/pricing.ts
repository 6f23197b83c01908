import { plansOf } from '#contract/billing/plans.ts';
import { priceText } from '#contract/billing/prices.ts';
import type { PricingSettings } from '#contract/dashboard-config.ts';
import { type Model, models, phaseOf } from '#contract/inference/models.ts';
import { offer, offeredPacks } from '#contract/offer/current-offer.ts';
import { servicesAtOwnPrice } from '#contract/offered-services.ts';
import { creditCount, formatDay, formatMoney, formatPrice, formatWhole } from '../../src/lib/format.ts';
import { capabilityTitle, inCredits, priceLines, rateLines } from '../../src/lib/model-prices.ts';
import { failedCalls, planChanges, serviceTitle } from '../../src/lib/offer.ts';
import { type PlanFact, planFacts } from '../../src/pages/plans/plan.ts';
import { type Html, html, type PublicPage, type Question, questionsSection } from './page.ts';

export const pricingTitle = 'Models and pricing';
export const pricingLead = `Models, plans and prices of ${offer.product.name}. Prices are in credits; each plan includes credits every month.`;

export function pricing(settings: PricingSettings, now: Date): PublicPage {
  const { models, plans, packs, services, questions } = pricingFacts(settings, now);
  return {
    path: '/pricing',
    title: pricingTitle,
    description: pricingLead,
    content: html`<section class="top">
        <h1>${pricingTitle}</h1>
        <p class="lead">${pricingLead}</p>
      </section>
      <section aria-labelledby="plans">
        <h2 id="plans">Plans</h2>
        <ul class="cards plans">
          ${plans.map(planCard)}
        </ul>
        ${packs.length > 0 && packList(packs)}
      </section>
      <section aria-labelledby="models">
        <h2 id="models">Models</h2>
        ${table(['Model', 'For', 'Context window', 'Maximum output', 'From plan', 'Price'], models.map(modelRow))}
      </section>
      ${services.length > 0 && serviceSection(services)} ${questionsSection(questions)}`,
  };
}

function planCard({ title, price, isPaid, sales, isRecommended, facts }: PlanCardFacts): Html {
  return html`<li${isRecommended && html` class="recommended"`}>
<h3>${title}${isRecommended && html`<span class="badge">Recommended</span>`}</h3>
<p class="price">${price}${isPaid && html`<small> per month</small>`}</p>
<ul class="facts">${facts.map(planFact)}</ul>
${
  sales === null
    ? html`<a class="button" href="/register" aria-label="Create account for ${title}">Create account</a>`
    : contactSales(title, sales.email)
}
</li>`;
}

const contactSales = (plan: string, email: string | null): Html =>
  email === null
    ? html`<p class="note">Contact sales to subscribe.</p>`
    : html`<a class="button plain" href="mailto:${email}?subject=${encodeURIComponent(`${plan} plan`)}"
        >Contact sales</a
      >`;

const planFact = ({ isIncluded, before = '', models, after = '' }: PlanFact): Html =>
  html`<li${!isIncluded && html` class="none"`}>${before}${models !== undefined && html`<code>${models}</code>`}${after}</li>`;

const packList = (packs: PricingFacts['packs']): Html =>
  html`<h3>Credit packs</h3>
    <ul class="packs">
      ${packs.map(({ credits, price }) => html`<li>${credits}: <b>${price}</b></li>`)}
    </ul>`;

/** On a phone, each row is a block whose cells name their columns. */
const table = (head: readonly string[], rows: readonly Html[]): Html =>
  html`<table>
    <thead>
      <tr>
        ${head.map((title) => html`<th scope="col">${title}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`;

const cell = (label: string, lines: readonly string[]): Html =>
  html`<td data-label="${label}">${lines.map((line, index) => html`${index > 0 && html`<br />`}${line}`)}</td>`;

const modelRow = ({ id, title, description, notes, prices, ...model }: ModelFacts): Html =>
  html`<tr>
    <th scope="row">
      ${title !== '' && html`<span>${title}</span>`}<code>${id}</code>${description !== '' && html`<small>${description}</small>`}${notes.map((note) => html`<small class="dated">${note}</small>`)}
    </th>
    ${cell('For', [model.capabilities])}${cell('Context window', [model.contextWindow])}${cell('Maximum output', [model.maxOutput])}${cell('From plan', [model.plan])}${cell('Price', prices)}
  </tr>`;

const serviceSection = (services: PricingFacts['services']): Html =>
  html`<section aria-labelledby="services">
    <h2 id="services">Services</h2>
    ${table(
      ['Service', 'Price'],
      services.map(
        ({ title, price }) =>
          html`<tr>
            <th scope="row">${title}</th>
            ${cell('Price', [price])}
          </tr>`,
      ),
    )}
  </section>`;

/** Content of the pricing page, for HTML and Markdown. */
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
    services: servicesAtOwnPrice(now.getTime()).map((name) => ({ title: serviceTitle(name), price: priceText(name) })),
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
        capabilities: capabilities.map(capabilityTitle).join(', '),
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
  { question: 'Can I change my plan?', answer: planChanges() },
  { question: 'What does a failed call cost?', answer: failedCalls() },
];
