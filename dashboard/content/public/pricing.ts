import type { PricingSettings } from '#contract/dashboard-config.ts';
import { offer } from '#contract/offer/current-offer.ts';
import type { PlanFact } from '../../src/lib/plan-facts.ts';
import { type Html, html } from './html.ts';
import { type PublicPage, questionsSection } from './page.ts';
import { type ModelFacts, type PlanCardFacts, type PricingFacts, pricingFacts } from './pricing-facts.ts';

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
