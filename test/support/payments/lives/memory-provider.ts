import type { Order } from '#domain/payments/order.ts';
import { ChargeRefused, ForgedEvent, type PaymentProvider } from '#domain/payments/provider.ts';
import { bankViews, found, InvalidRequest } from './bank-views.ts';
import { type Bank, type CardKind, type Invoice, type OrderTag, refusalOf, type Session } from './bank.ts';
import type { Process } from './process.ts';

export interface KeyedResult {
  /** Epoch seconds. */
  readonly at: number;
  readonly request: string;
  readonly result: unknown;
  readonly refusal: ChargeRefused | undefined;
}

/** Seconds for which the provider remembers idempotency keys. */
const keySeconds = 86_400;

/** The port over the bank's books. Every request of it can be lost, and its process can end before or after it. */
export function memoryProvider(bank: Bank, keys: Map<string, KeyedResult>, process: Process): PaymentProvider {
  const ask = <T>(effect: () => T): Promise<T> => process.request(effect);
  const { invoiceReport, sessionReport, lookUp, subjectOf } = bankViews(bank);

  /** A repeated key returns the first result, including a refusal, and refuses other parameters. */
  function once<T>(key: string, parameters: unknown, effect: () => T): () => T {
    const request = JSON.stringify(parameters);
    return () => {
      const known = keys.get(key);
      if (known && bank.now - known.at < keySeconds) {
        if (known.request !== request) throw new InvalidRequest(`idempotency_error ${key}`);
        if (known.refusal) throw known.refusal;
        return known.result as T;
      }
      const keep = (result: unknown, refusal?: ChargeRefused) =>
        keys.set(key, { at: bank.now, request, result, refusal });
      try {
        const result = effect();
        keep(result);
        return result;
      } catch (error) {
        if (error instanceof ChargeRefused) keep(undefined, error);
        throw error;
      }
    };
  }

  const tagOf = ({ accountId, id }: Order): OrderTag => ({ accountId, id });

  function cardKind(customer: string, card: string): CardKind {
    if (bank.customerOf(customer).card?.id !== card) throw new InvalidRequest(`resource_missing ${card}`);
    return bank.cards.get(card) ?? 'declines';
  }

  function voidOrDelete(invoice: Invoice): void {
    if (invoice.status === 'draft' && invoice.subscription === undefined) bank.invoices.delete(invoice.id);
    else if (invoice.status !== 'draft' && invoice.status !== 'open') return;
    invoice.status = 'void';
    invoice.nextAt = undefined;
    bank.emit('invoice.voided', invoice.id);
  }

  const running = (id: string) => {
    const subscription = found(bank.subscriptions, id);
    if (subscription.isEnded) throw new InvalidRequest(`the subscription ${id} has ended`);
    return subscription;
  };

  async function* listed(ids: () => string[]): AsyncGenerator<string> {
    yield* await ask(ids);
  }

  return {
    isLive: async () => true,
    createCustomer: (accountId, email) =>
      ask(
        once(`customer-${accountId}-${email}`, email, () => {
          const id = bank.id('cus');
          bank.customers.set(id, { id, accountId, email, card: undefined, carried: 0 });
          return id;
        }),
      ),
    hasCustomer: (customer) => ask(() => bank.customers.has(customer)),
    setEmail: (customer, email) => ask(() => void (bank.customerOf(customer).email = email)),
    deleteCustomer: async () => undefined,
    openCheckout: (order, { customer }) =>
      ask(
        once(`${order.id}-checkout`, [customer, order.cents], () => {
          const session: Session = {
            id: bank.id('cs'),
            customer,
            order: tagOf(order),
            isPlan: order.kind === 'plan',
            cents: order.cents,
            createdAt: bank.now,
            expiresAt: Math.floor((order.expiresAt ?? 0) / 1000),
            status: 'open',
            payment: 'none',
            processed: undefined,
            intent: undefined,
            invoice: undefined,
            subscription: undefined,
          };
          bank.sessions.set(session.id, session);
          return { session: session.id, url: `https://bank.example/${session.id}` };
        }),
      ),
    savedCard: (customer) =>
      ask(() => {
        const { card } = bank.customerOf(customer);
        return card && { id: card.id, brand: 'visa', last4: '4242', expMonth: 12, expYear: 2040 };
      }),
    startPlan: (order, { customer, card }) =>
      ask(
        once(`${order.id}-plan`, [customer, card.id, order.cents], () => {
          const kind = cardKind(customer, card.id);
          const refusal = refusalOf(kind);
          if (refusal) throw new ChargeRefused(refusal);
          const subscription = bank.subscribe(customer, order.cents, tagOf(order));
          const invoice = bank.firstInvoice(subscription);
          bank.pay(invoice, kind);
          return { subscription: subscription.id, invoice: invoice.id };
        }),
      ),
    async chargeInvoice(order, { customer, card }) {
      const drafted = once(`${order.id}-invoice`, [customer, card.id], () => {
        const facts = { order: tagOf(order), subscription: undefined, period: undefined };
        return bank.draft(customer, 'manual', 0, facts).id;
      });
      const invoice = await ask(drafted);
      const priced = () => void (found(bank.invoices, invoice).cents = order.cents);
      await ask(once(`${order.id}-item`, [invoice, order.cents], priced));
      const final = await ask(
        once(`${order.id}-final`, invoice, () => {
          const one = found(bank.invoices, invoice);
          if (one.status !== 'draft') throw new InvalidRequest(`${invoice} is ${one.status}`);
          one.status = 'open';
          if (one.cents + bank.customerOf(customer).carried < 50) bank.pay(one, 'accepts');
          return bank.invoices.get(invoice)?.status;
        }),
      );
      if (final === 'paid') return { invoice };
      try {
        await ask(
          once(`${order.id}-pay`, [invoice, card.id], () => {
            const one = found(bank.invoices, invoice);
            if (one.status !== 'open') throw new InvalidRequest(`${invoice} is ${one.status}`);
            const refusal = bank.pay(one, cardKind(customer, card.id));
            if (refusal) throw new ChargeRefused(refusal);
          }),
        );
      } catch (error) {
        if (!(error instanceof ChargeRefused)) throw error;
        if (error.reason === 'action_required')
          throw new ChargeRefused(error.reason, { ids: { invoice }, url: `https://bank.example/${invoice}` });
        await ask(() => voidOrDelete(found(bank.invoices, invoice)));
        throw new ChargeRefused(error.reason, { ids: { invoice } });
      }
      return { invoice };
    },
    async cancelCharge(id) {
      await ask(() => found(bank.invoices, id));
      await ask(() => {
        const invoice = bank.invoices.get(id);
        if (invoice) voidOrDelete(invoice);
      });
    },
    async report(order, customer) {
      const { session, invoice } = order.provider;
      const ids =
        session === undefined && invoice === undefined ? await ask(() => lookUp(order, customer)) : order.provider;
      const { session: page, invoice: bill } = ids;
      if (page !== undefined) return ask(() => sessionReport(page));
      return ask(() => (bill === undefined || !bank.invoices.has(bill) ? undefined : invoiceReport(bill)));
    },
    renewal: (invoice) =>
      ask(() => {
        const { reason, subscription, ...report } = invoiceReport(invoice);
        return reason === 'subscription_cycle' && subscription !== undefined ? { ...report, subscription } : undefined;
      }),
    plan: (id) =>
      ask(() => {
        const { customer, isEnded, cents, endsWithPeriod, period } = found(bank.subscriptions, id);
        const latest = [...bank.invoices.values()].findLast(({ subscription }) => subscription === id);
        const draft = latest?.status === 'draft' ? { draft: { invoice: latest.id, cents: latest.cents } } : {};
        return { id, customer, isEnded, cents, endsWithPeriod, period, ...draft };
      }),
    collectFrom: ({ anchor, cents }, { customer, card }, _title, key) =>
      ask(
        once(key, [customer, card.id, anchor, cents], () => {
          cardKind(customer, card.id);
          return bank.subscribe(customer, cents, undefined, anchor).id;
        }),
      ),
    runningPlans: (customer) =>
      ask(() =>
        [...bank.subscriptions.values()]
          .filter((one) => one.customer === customer && !one.isEnded)
          .map(({ id, createdAt }) => ({ id, createdAt: createdAt * 1000 })),
      ),
    async expireCheckouts(customer) {
      const open = () =>
        [...bank.sessions.values()].filter((one) => one.customer === customer && one.status === 'open');
      for (const session of await ask(open)) await ask(() => session.status === 'open' && bank.expire(session));
    },
    async setPrice(id, cents) {
      await ask(() => found(bank.subscriptions, id));
      await ask(() => void (running(id).cents = cents));
    },
    changeDraft: ({ id, draft }, cents) =>
      ask(
        once(`${id}-${draft?.invoice}-${draft?.cents}-${cents}`, [draft, cents], () => {
          const invoice = bank.invoices.get(draft?.invoice ?? '');
          if (draft && invoice?.status === 'draft') invoice.cents += cents - draft.cents;
        }),
      ),
    endWithPeriod: (id, ends) => ask(() => void (running(id).endsWithPeriod = ends)),
    async stop(id) {
      for (const status of ['draft', 'open'] as const)
        for (const invoice of await ask(() => [...bank.invoices.values()]))
          if (invoice.subscription === id && invoice.status === status) await ask(() => voidOrDelete(invoice));
      await ask(() => {
        const subscription = found(bank.subscriptions, id);
        if (!subscription.isEnded) bank.end(subscription);
      });
    },
    refund: (id, cents, key) =>
      ask(
        once(key, [id, cents], () => {
          const refund = bank.refund(found(bank.payments, id), cents);
          if (refund === 'charge_already_refunded') throw new InvalidRequest(`${refund} ${id}`);
          return refund !== 'charge_disputed';
        }),
      ),
    creditBalance: (customer, cents, key) =>
      ask(
        once(key, [customer, cents], () => {
          if (bank.credits.has(key)) return;
          bank.customerOf(customer).carried -= cents;
          bank.credits.add(key);
        }),
      ),
    portal: async () => 'https://bank.example/portal',
    async readEvent(bytes) {
      const event: unknown = JSON.parse(Buffer.from(bytes).toString());
      if (typeof event !== 'string') throw new ForgedEvent('no event');
      const { id, type, objectId } = bank.events.find((one) => one.id === event)!;
      return { id, type, objectId, isLive: true };
    },
    subjectOf: (event) => ask(() => subjectOf(event)),
    paidInvoicesOf: (id) =>
      listed(() =>
        [...bank.invoices.values()]
          .filter(({ subscription, status }) => subscription === id && status === 'paid')
          .map((invoice) => invoice.id)
          .toReversed(),
      ),
    invoicesSince: (at) =>
      listed(() =>
        [...bank.invoices.values()]
          .filter(({ createdAt, status }) => createdAt >= Math.floor(at / 1000) && status === 'paid')
          .map((invoice) => invoice.id)
          .toReversed(),
      ),
    sessionsSince: (at) =>
      listed(() =>
        [...bank.sessions.values()]
          .filter(({ createdAt, status }) => createdAt >= Math.floor(at / 1000) && status === 'complete')
          .map((session) => session.id)
          .toReversed(),
      ),
    async *undeliveredSince(at) {
      const events = await ask(() =>
        bank.events.filter((one) => one.at >= Math.floor(at / 1000) && !one.isDelivered).toReversed(),
      );
      for (const { id, type, objectId } of events) yield { id, type, objectId, isLive: true };
    },
  };
}
