import type { IncomingMessage, ServerResponse } from 'node:http';
import { readBody } from '../../shared/loopback.ts';
import type { Store } from '../store.ts';
import { StripeProblem } from '../wire/errors.ts';
import type { World } from '../world.ts';
import { invoicePage, invoicePdf, postInvoice, receiptPage } from './invoice-page.ts';
import { payPage, type PostResult, postPay } from './pay-page.ts';
import { portalPage, postPortal } from './portal-page.ts';
import { type Fields, message, redirect, sendShown, type Shown } from './shell.ts';

const maxFormBytes = 64 * 1024;

/**
 * Whether a browser's request may reach this server: any page may open ours by a link or redirect, and only our own
 * pages may send forms.
 */
export function isPageRequest({ method, url = '', headers }: IncomingMessage): boolean {
  if (/^\/(v\d+|_control)\//.test(url)) return false;
  if (headers.origin !== undefined && headers.origin !== 'null') return headers.origin === `http://${headers.host}`;
  if (headers['sec-fetch-site'] === 'same-origin') return true;
  return method === 'GET' && headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
}

/** Serves Stripe's hosted pages: Checkout, invoices, receipts, customer portal. */
export function createPages({ store, world }: { store: Store; world: World }) {
  function answer(path: string, query: URLSearchParams, fields: Fields | undefined): PostResult | { pdf: Buffer } {
    const [, area = '', id = '', rest] = path.split('/');
    const session = area === 'pay' ? world.find('checkout.session', id) : undefined;
    if (session) return fields ? postPay(world, session, fields) : { shown: payPage(world, session, query) };
    const found = area === 'invoices' ? world.find('invoice', id) : undefined;
    const invoice = found?.hosted_invoice_url === null ? undefined : found;
    if (invoice && rest === 'pdf') return { pdf: invoicePdf(invoice) };
    if (invoice) return fields ? postInvoice(world, invoice, fields) : { shown: invoicePage(world, invoice, query) };
    const charge = area === 'receipts' ? world.find('charge', id) : undefined;
    if (charge?.paid === true) return { shown: receiptPage(world, charge) };
    const portal = area === 'portal' ? world.find('billing_portal.session', id) : undefined;
    if (portal) return fields ? postPortal(world, portal, fields) : { shown: portalPage(world, portal, query) };
    return { shown: notFound };
  }

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? '', world.url);
    const body = request.method === 'POST' ? (await readBody(request, maxFormBytes)).toString() : undefined;
    const fields = body === undefined ? undefined : Object.fromEntries(new URLSearchParams(body));
    const result = attempted(() => store.commit(() => answer(pathname, searchParams, fields)));
    if ('pdf' in result) sendPdf(response, result.pdf);
    else if ('redirect' in result) redirect(response, result.redirect);
    else sendShown(response, result.shown);
  };
}

/** An action that is no longer possible, such as a payment for a deleted customer, is explained on the page. */
function attempted<Result>(act: () => Result): Result | { readonly shown: Shown } {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof StripeProblem)) throw error;
    return { shown: message('That was not possible', error.message, undefined, error.status) };
  }
}

const notFound: Shown = message('Page not found', 'Check the address of the page.', undefined, 404);

function sendPdf(response: ServerResponse, bytes: Buffer): void {
  response.writeHead(200, {
    'content-type': 'application/pdf',
    'content-length': bytes.length,
    'content-disposition': 'inline; filename="invoice.pdf"',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(bytes);
}
