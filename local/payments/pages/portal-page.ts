import type Stripe from 'stripe';
import { escapeHtml } from '#contract/shared/html.ts';
import { attach, cardOfCustomer, detach, makeDefault, newPaymentMethod, saved } from '../objects/cards.ts';
import { cardName, money } from '../objects/invoice-lines.ts';
import { idOf, required, type World } from '../world.ts';
import type { PostResult } from './pay-page.ts';
import { cardForm, type Fields, filledFields, readCard, dateOf, message, type Shown } from './shell.ts';

type Session = Stripe.BillingPortal.Session;

/** Portal sessions stop working after an hour. */
const sessionSeconds = 3600;

const isExpired = (world: World, session: Session): boolean =>
  session.created + sessionSeconds < world.at() || !world.find('customer', session.customer);

const expired = message('This link has expired', 'Open the billing page again from the shop.', undefined, 410);

export const portalPage = (world: World, session: Session, query: URLSearchParams): Shown =>
  isExpired(world, session) ? expired : shown(world, session, filledFields(query, world.at(), null), {});

export function postPortal(world: World, session: Session, fields: Fields): PostResult {
  if (isExpired(world, session)) return { shown: expired };
  const back = { redirect: `/portal/${session.id}` };
  const card = fields['card'] ?? '';
  if (fields['do'] === 'remove') {
    detach(world, cardOfCustomer(world, card, session.customer, 'card'));
    return back;
  }
  if (fields['do'] === 'default') {
    makeDefault(world, session.customer, cardOfCustomer(world, card, session.customer, 'card').id);
    return back;
  }
  const entry = readCard(fields, world.at());
  if ('errors' in entry) return { shown: shown(world, session, fields, entry.errors) };
  const method = newPaymentMethod(world, entry);
  const result = saved(method, { isAuthenticated: true });
  if (result.is === 'refused') {
    world.remove('payment_method', method.id);
    return { shown: shown(world, session, fields, { form: result.refusal.message }) };
  }
  attach(world, method, session.customer);
  makeDefault(world, session.customer, method.id);
  return back;
}

function shown(world: World, session: Session, fields: Fields, errors: Fields): Shown {
  const configuration = required(world, 'billing_portal.configuration', idOf(session.configuration) ?? '');
  const { features } = configuration;
  const customer = required(world, 'customer', session.customer);
  const back = session.return_url;
  return {
    title: 'Billing',
    body: `<main class="single"><div>${back === null ? '' : `<a class="back" href="${escapeHtml(back)}"><span aria-hidden="true">←</span> Back</a>`}
<section class="card"><h1>Billing of ${escapeHtml(customer.name ?? customer.email ?? customer.id)}</h1><p class="dim">${escapeHtml(customer.email ?? '')}</p></section>
${features.payment_method_update.enabled ? cards(world, session, customer, fields, errors) : ''}
${features.invoice_history.enabled ? invoices(world, customer) : ''}</div></main>`,
    ...(Object.keys(errors).length > 0 && { status: 422 }),
  };
}

function cards(world: World, session: Session, customer: Stripe.Customer, fields: Fields, errors: Fields): string {
  const action = `/portal/${session.id}`;
  const standard = idOf(customer.invoice_settings.default_payment_method);
  const form = (id: string, act: string, label: string, what: string): string =>
    `<form method="post" action="${escapeHtml(action)}"><input type="hidden" name="card" value="${escapeHtml(id)}"><button class="plain" name="do" value="${act}" aria-label="${escapeHtml(`${label} ${what}`)}">${label}</button></form>`;
  const items = world
    .all('payment_method')
    .filter((method) => method.customer === customer.id)
    .map((method) => {
      const { id, card } = method;
      const what = cardName(method);
      const use = id === standard ? '<span class="good">Default</span>' : form(id, 'default', 'Use for invoices', what);
      return `<li><span>${escapeHtml(what)} <span class="dim">${card?.exp_month}/${card?.exp_year}</span></span>${use}${form(id, 'remove', 'Remove', what)}</li>`;
    });
  return `<section class="card"><h2>Cards</h2>${items.length === 0 ? '<p class="dim">No card is saved.</p>' : `<ul class="items">${items.join('')}</ul>`}</section>
<section class="card"><h2>Add a card</h2>${cardForm({ action, submit: 'Save card', fields, errors })}</section>`;
}

function invoices(world: World, customer: Stripe.Customer): string {
  const items = world
    .all('invoice')
    .filter((invoice) => invoice.customer === customer.id && invoice.status !== 'draft')
    .toReversed()
    .slice(0, 50)
    .map(
      (invoice) =>
        `<li><span><a href="/invoices/${invoice.id}">${escapeHtml(invoice.number ?? invoice.id)}</a> <span class="dim">${dateOf(invoice.created)}</span></span><span>${money(invoice.amount_due, invoice.currency)}</span><span class="${invoice.status === 'paid' ? 'good' : 'dim'}">${escapeHtml(String(invoice.status))}</span></li>`,
    );
  return `<section class="card"><h2>Invoices</h2>${items.length === 0 ? '<p class="dim">No invoice yet.</p>' : `<ul class="items">${items.join('')}</ul>`}</section>`;
}
