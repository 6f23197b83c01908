import type Stripe from 'stripe';
import { escapeHtml } from '#contract/shared/html.ts';
import { newPaymentMethod } from '../objects/cards.ts';
import { type Buyer, completeSession, refuseWaiting } from '../objects/checkout-payment.ts';
import { linesOfSession } from '../objects/checkout.ts';
import { money } from '../objects/invoice-lines.ts';
import { idOf, required, type World } from '../world.ts';
import {
  authenticationForm,
  cardForm,
  type Fields,
  filledFields,
  readCard,
  message,
  originOf,
  type Shown,
} from './shell.ts';

export function payPage(world: World, session: Stripe.Checkout.Session, query: URLSearchParams): Shown {
  const back = session.cancel_url;
  if (session.status === 'complete') {
    const link = { href: successUrl(session), label: 'Continue' };
    return message('This payment is complete', 'You can close this page, or return to the service.', link);
  }
  if (session.status !== 'open') {
    const text = 'Start again in the shop to pay.';
    return message(
      'This payment page has expired',
      text,
      back === null ? undefined : { href: back, label: 'Go back' },
      410,
    );
  }
  const name = world.find('customer', idOf(session.customer) ?? '')?.name ?? null;
  return shown(world, session, filledFields(query, world.at(), name), {});
}

export type PostResult = { readonly redirect: string } | { readonly shown: Shown };

export function postPay(world: World, session: Stripe.Checkout.Session, fields: Fields): PostResult {
  if (session.status !== 'open') return { shown: payPage(world, session, new URLSearchParams()) };
  const waiting = world.find('payment_method', world.find('session_details', session.id)?.waiting ?? '');
  if (waiting && fields['do'] === 'fail') {
    const { message: text } = refuseWaiting(world, session);
    return { shown: shown(world, required(world, 'checkout.session', session.id), {}, { form: text }) };
  }
  if (waiting && fields['do'] === 'authenticate')
    return finish(world, session, fields, { ...buyerOf(waiting), savesCard: false, isAuthenticated: true });
  const card = readCard(fields, world.at());
  const errors = { ...('errors' in card && card.errors), ...otherErrors(session, fields) };
  if ('errors' in card || Object.keys(errors).length > 0) return { shown: shown(world, session, fields, errors) };
  const method = newPaymentMethod(world, card);
  return finish(world, session, fields, {
    ...buyerOf(method),
    savesCard: fields['save'] === 'yes',
    isAuthenticated: false,
  });
}

const buyerOf = (method: Stripe.PaymentMethod) => ({
  method,
  email: method.billing_details.email,
  name: method.billing_details.name,
});

function finish(world: World, session: Stripe.Checkout.Session, fields: Fields, buyer: Buyer): PostResult {
  const result = completeSession(world, session, buyer);
  const current = required(world, 'checkout.session', session.id);
  if (result.is === 'complete') return { redirect: successUrl(result.session) };
  if (result.is === 'authenticates') return { redirect: `/pay/${session.id}` };
  return { shown: shown(world, current, fields, { form: result.refusal.message }) };
}

function otherErrors(session: Stripe.Checkout.Session, fields: Fields): Fields {
  const needsTerms = session.consent_collection?.terms_of_service === 'required' && fields['terms'] !== 'yes';
  const needsEmail = asksEmail(session) && !/^[^\s@]+@[^\s@]+$/.test((fields['email'] ?? '').trim());
  return {
    ...(needsTerms && { terms: 'Accept the terms to continue.' }),
    ...(needsEmail && { email: 'Enter your email address.' }),
  };
}

const asksEmail = ({ customer, customer_email: email }: Stripe.Checkout.Session): boolean =>
  customer === null && email === null;

function successUrl({ success_url: url, id }: Stripe.Checkout.Session): string {
  return (url ?? '/').replaceAll('{CHECKOUT_SESSION_ID}', id);
}

const titles: Readonly<Partial<Record<string, string>>> = { subscription: 'Subscribe', setup: 'Save a card' };

function shown(world: World, session: Stripe.Checkout.Session, fields: Fields, errors: Fields): Shown {
  const isWaiting = (world.find('session_details', session.id)?.waiting ?? null) !== null;
  const action = `/pay/${session.id}`;
  const terms = session.custom_text.terms_of_service_acceptance?.message ?? 'I agree to the terms of service.';
  const right = isWaiting
    ? authenticationForm(action, what(session))
    : `<section class="card"><h2>${session.mode === 'setup' ? 'Card' : 'Pay with card'}</h2>${cardForm({
        action,
        submit: submitLabel(session),
        fields,
        errors,
        asksEmail: asksEmail(session),
        saveLabel:
          session.saved_payment_method_options?.payment_method_save === 'enabled'
            ? 'Save this card for later purchases'
            : undefined,
        terms: session.consent_collection?.terms_of_service === 'required' ? terms : undefined,
        note: session.custom_text.submit?.message ?? consentNote(session),
      })}</section>`;
  return {
    title: titles[session.mode] ?? 'Pay',
    leadsTo: originOf(session.success_url),
    body: `<main><section>${backLink(session)}${summary(world, session)}</section><div>${right}</div></main>`,
    ...(Object.keys(errors).length > 0 && { status: 422 }),
  };
}

const backLink = ({ cancel_url: url }: Stripe.Checkout.Session): string =>
  url === null ? '' : `<a class="back" href="${escapeHtml(url)}"><span aria-hidden="true">←</span> Back</a>`;

const totalOf = (session: Stripe.Checkout.Session): string =>
  money(session.amount_total ?? 0, session.currency ?? 'usd');

const what = (session: Stripe.Checkout.Session): string =>
  session.mode === 'setup' ? 'that this card is saved' : `a payment of ${totalOf(session)}`;

function submitLabel(session: Stripe.Checkout.Session): string {
  if (session.mode === 'setup') return 'Save card';
  return session.mode === 'subscription' ? 'Subscribe' : `Pay ${totalOf(session)}`;
}

const consentNote = (session: Stripe.Checkout.Session): string | undefined =>
  session.mode === 'subscription' ? 'The card is charged now and for each further period until you cancel.' : undefined;

function summary(world: World, session: Stripe.Checkout.Session): string {
  if (session.mode === 'setup') return '<h1>Save a card</h1><p class="dim">Nothing is charged now.</p>';
  const lines = linesOfSession(world, session.id);
  const cycle = lines[0]?.price?.recurring;
  const every = cycle
    ? ` <small>per ${cycle.interval_count === 1 ? '' : `${cycle.interval_count} `}${cycle.interval}</small>`
    : '';
  const rows = lines.map(
    ({ description, quantity, amount_total: amount, currency }) =>
      `<tr><th scope="row">${escapeHtml(description ?? '')}${(quantity ?? 1) > 1 ? ` × ${quantity}` : ''}</th><td>${money(amount, currency)}</td></tr>`,
  );
  const heading = lines.map(({ description }) => description ?? '').join(', ');
  return `<h1>${session.mode === 'subscription' ? 'Subscribe to ' : ''}${escapeHtml(heading)}</h1>
<p class="total">${totalOf(session)}${every}</p>
<table class="lines"><tbody>${rows.join('')}</tbody><tfoot><tr><th scope="row">Due today</th><td>${totalOf(session)}</td></tr></tfoot></table>`;
}
