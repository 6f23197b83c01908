import type Stripe from 'stripe';
import { escapeHtml } from '#contract/shared/html.ts';
import { attach, makeDefault, newPaymentMethod } from '../objects/cards.ts';
import { cardName, money } from '../objects/invoice-lines.ts';
import { intentOf, pay } from '../objects/invoices.ts';
import { idOf, required, update, type World } from '../world.ts';
import type { PostResult } from './pay-page.ts';
import { authenticationForm, cardForm, type Fields, filledFields, readCard, dateOf, type Shown } from './shell.ts';

/** The hosted invoice page, which takes the payment of an open invoice. */
export const invoicePage = (world: World, invoice: Stripe.Invoice, query: URLSearchParams): Shown =>
  shown(world, invoice, filledFields(query, world.at(), invoice.customer_name), {});

export function postInvoice(world: World, invoice: Stripe.Invoice, fields: Fields): PostResult {
  if (invoice.status !== 'open') return { redirect: `/invoices/${invoice.id}` };
  const intent = intentOf(world, invoice.id);
  const waiting = intent?.status === 'requires_action' ? idOf(intent.payment_method) : null;
  if (intent && waiting !== null && fields['do'] === 'fail') {
    const text = 'We are unable to authenticate your payment method. Choose a different one and try again.';
    const changes = { status: 'requires_payment_method' as const, next_action: null, payment_method: null };
    update(world, 'payment_intent', intent, changes, 'payment_intent.payment_failed');
    return { shown: shown(world, invoice, {}, { form: text }) };
  }
  if (waiting !== null && fields['do'] === 'authenticate')
    return charge(world, invoice, fields, required(world, 'payment_method', waiting), true);
  const card = readCard(fields, world.at());
  if ('errors' in card) return { shown: shown(world, invoice, fields, card.errors) };
  return charge(world, invoice, fields, newPaymentMethod(world, card), false);
}

function charge(
  world: World,
  invoice: Stripe.Invoice,
  fields: Fields,
  method: Stripe.PaymentMethod,
  isAuthenticated: boolean,
): PostResult {
  const result = pay(world, invoice, { method, offSession: false, isAuthenticated });
  if (result.is === 'refused')
    return { shown: shown(world, required(world, 'invoice', invoice.id), fields, { form: result.refusal.message }) };
  const customer = idOf(invoice.customer);
  if (result.is === 'paid' && fields['save'] === 'yes' && customer !== null) {
    attach(world, method, customer);
    makeDefault(world, customer, method.id);
  }
  return { redirect: `/invoices/${invoice.id}` };
}

function shown(world: World, invoice: Stripe.Invoice, fields: Fields, errors: Fields): Shown {
  const intent = intentOf(world, invoice.id);
  const action = `/invoices/${invoice.id}`;
  const total = money(invoice.amount_due, invoice.currency);
  const form =
    intent?.status === 'requires_action' && intent.payment_method !== null
      ? authenticationForm(action, `a payment of ${total}`)
      : `<section class="card"><h2>Pay with card</h2>${cardForm({ action, submit: `Pay ${total}`, fields, errors, saveLabel: 'Use this card for later invoices' })}</section>`;
  return {
    title: `Invoice ${invoice.number ?? ''}`,
    body: `<main${invoice.status === 'open' ? '' : ' class="single"'}><section class="card"><h1>Invoice ${escapeHtml(invoice.number ?? '')}</h1>
<p class="dim">${dateOf(invoice.created)} · <span class="${invoice.status === 'paid' ? 'good' : ''}">${escapeHtml(String(invoice.status))}</span></p>
<p class="total">${total}</p>${table(invoice)}
<p style="margin-top:1.25rem"><a href="${escapeHtml(action)}/pdf">Download PDF</a>${receiptLink(world, intent)}</p></section>
${invoice.status === 'open' ? `<div>${form}</div>` : ''}</main>`,
    ...(Object.keys(errors).length > 0 && { status: 422 }),
  };
}

function receiptLink(world: World, intent: Stripe.PaymentIntent | undefined): string {
  const url = world.find('charge', idOf(intent?.latest_charge) ?? '')?.receipt_url ?? null;
  return url === null ? '' : ` · <a href="${escapeHtml(url)}">View receipt</a>`;
}

function table(invoice: Stripe.Invoice): string {
  const { currency } = invoice;
  const rows = invoice.lines.data.map(
    ({ description, amount }) =>
      `<tr><th scope="row">${escapeHtml(description ?? '')}</th><td>${money(amount, currency)}</td></tr>`,
  );
  const carried = invoice.amount_due - invoice.total;
  const balance =
    invoice.status === 'draft' || carried === 0
      ? ''
      : `<tr><th scope="row">Balance of the account</th><td>${money(carried, currency)}</td></tr>`;
  return `<table class="lines"><tbody>${rows.join('')}${balance}</tbody><tfoot><tr><th scope="row">Amount due</th><td>${money(invoice.amount_due, currency)}</td></tr></tfoot></table>`;
}

export const invoicePdf = (invoice: Stripe.Invoice): Buffer =>
  textPdf([
    `Invoice ${invoice.number ?? ''}`,
    `Date: ${dateOf(invoice.created)}`,
    `To: ${invoice.customer_name ?? ''} ${invoice.customer_email ?? ''}`,
    `Status: ${String(invoice.status)}`,
    '',
    ...invoice.lines.data.map(({ description, amount }) => `${description ?? ''}: ${money(amount, invoice.currency)}`),
    '',
    `Total: ${money(invoice.total, invoice.currency)}`,
    `Amount due: ${money(invoice.amount_due, invoice.currency)}`,
    `Amount paid: ${money(invoice.amount_paid, invoice.currency)}`,
    'Test mode: no money was moved.',
  ]);

export function receiptPage(world: World, paid: Stripe.Charge): Shown {
  const method = world.find('payment_method', paid.payment_method ?? '');
  const refunded =
    paid.amount_refunded === 0
      ? ''
      : `<tr><th scope="row">Refunded</th><td>${money(paid.amount_refunded, paid.currency)}</td></tr>`;
  return {
    title: 'Receipt',
    body: `<main class="single"><section class="card"><h1>Receipt</h1>
<p class="total">${money(paid.amount, paid.currency)}</p>
<table class="lines"><tbody><tr><th scope="row">Paid on</th><td>${dateOf(paid.created)}</td></tr>
<tr><th scope="row">Card</th><td>${method ? escapeHtml(cardName(method)) : ''}</td></tr>
<tr><th scope="row">Description</th><td>${escapeHtml(paid.description ?? 'Payment')}</td></tr>${refunded}</tbody></table></section></main>`,
  };
}

/** A4 in points. */
const pageSize = { width: 595, height: 842 };
const lineHeight = 16;
const maxLines = 46;

/** A one-page PDF of lines of text, the first one large. Characters outside Latin-1 become question marks. */
function textPdf(lines: readonly string[]): Buffer {
  const shown = lines.slice(0, maxLines);
  const content = shown
    .map((line, index) => {
      const size = index === 0 ? 20 : 11;
      return `BT /F1 ${size} Tf 56 ${pageSize.height - 72 - index * lineHeight - (index > 0 ? 12 : 0)} Td (${escaped(line)}) Tj ET`;
    })
    .join('\n');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${pageSize.width} ${pageSize.height}] /Resources << /Font << /F1 5 0 R >> >> /Contents 4 0 R >>`,
    `<< /Length ${Buffer.byteLength(content, 'latin1')} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
  ];
  let file = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = Buffer.byteLength(file, 'latin1');
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const start = Buffer.byteLength(file, 'latin1');
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(file, 'latin1');
}

const escaped = (text: string): string =>
  text.replaceAll(/[^\u0020-\u00ff]/g, '?').replaceAll(/[\\()]/g, (character) => `\\${character}`);
