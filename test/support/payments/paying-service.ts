import { createHmac, randomUUID } from 'node:crypto';
import { Metrics } from '@aws-lambda-powertools/metrics';
import Stripe from 'stripe';
import { beforeAll, expect, vi } from 'vitest';
import { type PricedPack, packs } from '#contract/payments/payments.ts';
import { metrics } from '#contract/platform/metrics.ts';
import { routes } from '#contract/routes.ts';
import type { StripeFault } from '#local/payments/control.ts';
import type { Outcome } from '#local/payments/outcomes.ts';
import { services } from '#runtime/services/container.ts';
import { eventTypes } from '../../../bin/stripe/set-up.ts';
import { auditFindings, type Person, useTestService } from '../service/service.ts';

const packOf = (index: number): PricedPack => {
  const pack = packs[index];
  if (!pack) throw new Error('the offer has too few packs');
  return pack;
};
export const [small, large] = [packOf(0), packOf(1)];

export interface HandmadeEvent {
  readonly id?: string;
  readonly type?: string;
  readonly object: string;
  readonly livemode?: boolean;
}

export interface Signing {
  readonly secrets?: readonly string[];
  /** Seconds after now. */
  readonly at?: number;
}

const key = 'sk_test_local';

/** A service that accepts payments by the stand-in for Stripe, whose events and clock follow the service's. */
export function usePayingService() {
  const service = useTestService({ payments: 'stripe' });
  beforeAll(() => subscribeTo(stripe()));
  const stripeUrl = (): string => process.env['STRIPE_API'] ?? '';
  const secretOf = (): string => JSON.parse(process.env['PAYMENTS_SECRET_VALUE'] ?? '{}').webhookSecrets[0];

  async function control(method: string, path: string, body?: object): Promise<void> {
    const json = { 'content-type': 'application/json' };
    const init = { method, ...(body && { headers: json, body: JSON.stringify(body) }) };
    const response = await fetch(`${stripeUrl()}/_control/${path}`, init);
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  }

  const call = (method: string, path: string, { key: apiKey }: Pick<Person, 'key'>, body?: unknown) =>
    service.call(method, path, { key: apiKey, body });

  /** Resolves when every event was delivered, and every message processed. */
  async function quiet(): Promise<void> {
    await control('POST', 'advance');
    await service.settled();
    await control('POST', 'advance');
    await service.settled();
  }

  async function advance(by: string): Promise<void> {
    const { done } = await service.post('/_local/clock', { advance: by });
    expect(done).toBe(true);
    await quiet();
  }

  async function script(id: string, outcome: Outcome): Promise<void> {
    const { error } = await service.post(`/_local/payments/${id}`, { outcome });
    if (error !== undefined) throw new Error(error);
  }

  const checkout = (person: Person, body: object = { pack: small.id }) =>
    call('POST', '/api/payments/checkout', person, body);

  async function opened(person: Person, body?: object): Promise<{ id: string; url: string }> {
    const { status, body: reply } = await checkout(person, body);
    expect(status).toBe(201);
    return reply.data;
  }

  /** Pays a page, which saves the card. Returns the payment's id. */
  async function bought(person: Person, body?: object): Promise<string> {
    const { id } = await opened(person, body);
    await script(id, 'paid');
    return id;
  }

  /** A person with a plan that was paid on Stripe's page. */
  async function subscriber(planId = 'dev_pass'): Promise<Person> {
    const person = await service.person();
    await bought(person, { planId });
    return person;
  }

  const payment = async (person: Person, id: string) => (await call('GET', `/api/payments/${id}`, person)).body.data;
  const payments = async (person: Person): Promise<any[]> =>
    (await call('GET', '/api/payments', person)).body.data.items;
  const order = (person: Person, id: string) =>
    services()
      .payments()
      .then(({ store }) => store.find({ accountId: person.id, id }));
  const profile = async (person: Person) => (await services().payments()).store.profile(person.id);
  const meter = (person: Person) => services().metering().current(person.id, services().clock.now());
  /** Microcredits of the purchased lots. */
  const purchased = async (person: Person): Promise<number> =>
    (await meter(person)).lots.filter(({ source }) => source === 'purchase').reduce((sum, lot) => sum + lot.granted, 0);
  /** Spends everything. */
  const drop = (person: Person) =>
    services()
      .metering()
      .change(person.id, services().clock.now(), (current) => ({
        meter: { ...current, spendable: 0, seq: current.seq + 1 },
        entries: [{ type: 'adjustment', at: Math.floor(services().clock.now() / 1000), amount: -current.spendable }],
      }));
  const subscription = async (person: Person) => (await call('GET', '/api/subscription', person)).body.data;

  function stripe(): Stripe {
    const { hostname, port } = new URL(stripeUrl());
    return new Stripe(key, { host: hostname, port, protocol: 'http', telemetry: false });
  }

  const collected = async (person: Person) =>
    stripe().subscriptions.retrieve((await profile(person)).subscription ?? 'none');

  /** Replaces the saved card by another of Stripe's test cards. */
  async function useCard(person: Person, token: string): Promise<void> {
    const { customer = '' } = await profile(person);
    const { data } = await stripe().customers.listPaymentMethods(customer);
    for (const { id } of data) await stripe().paymentMethods.detach(id);
    if (token === 'none') return;
    const method = await stripe().paymentMethods.attach(token, { customer });
    await stripe().customers.update(customer, { invoice_settings: { default_payment_method: method.id } });
    const { subscription: id } = await profile(person);
    if (id !== undefined) await stripe().subscriptions.update(id, { default_payment_method: method.id });
  }

  /** Sends an event as Stripe does. Returns the status. */
  async function sendEvent(
    { id = `evt_${randomUUID()}`, type = 'checkout.session.completed', object, livemode = false }: HandmadeEvent,
    { secrets = [secretOf()], at = 0 }: Signing = {},
  ): Promise<number> {
    const seconds = Math.floor(services().clock.now() / 1000) + at;
    const body = JSON.stringify({ id, object: 'event', type, livemode, data: { object: { id: object } } });
    return postEvent(
      body,
      [`t=${seconds}`, ...secrets.map((secret) => `v1=${signed(body, secret, seconds)}`)].join(','),
    );
  }

  async function postEvent(body: string, signature: string): Promise<number> {
    const headers = { 'content-type': 'application/json', 'stripe-signature': signature };
    const url = service.origin + routes.receiveStripeEvent.path;
    return (await fetch(url, { method: 'POST', headers, body })).status;
  }

  /** Differences between ledgers and meters, and between money and credits. */
  async function differences(): Promise<unknown[]> {
    const { reconciliation } = await services().payments();
    const compared = [await reconciliation.fromProvider(0), await reconciliation.fromOrders()];
    return [...compared.flatMap((found) => found.differences), ...(await auditFindings(service))];
  }

  return Object.assign(service, {
    as: call,
    quiet,
    advance,
    script,
    checkout,
    opened,
    bought,
    subscriber,
    payment,
    payments,
    order,
    profile,
    meter,
    purchased,
    subscription,
    drop,
    stripe,
    collected,
    useCard,
    sendEvent,
    postEvent,
    secretOf,
    differences,
    auditFindings: () => auditFindings(service),
    fault: (fault: Partial<StripeFault> & Pick<StripeFault, 'fault'>) => control('POST', 'faults', fault),
    noFaults: () => control('DELETE', 'faults'),
    release: () => control('POST', 'events/release'),
  });
}

/** Receives the events that a stage's endpoint receives, and no others. */
export async function subscribeTo(stripe: Stripe): Promise<void> {
  await stripe.webhookEndpoints.update('we_local', { enabled_events: [...eventTypes] });
}

export const signed = (body: string, secret: string, seconds: number): string =>
  createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');

/** Counts payments and events that raise the alarm, until it is restored. */
export function refusedPayments() {
  const spy = vi.spyOn(Metrics.prototype, 'addMetric');
  return {
    count: () => spy.mock.calls.filter(([name]) => name === metrics.refusedPayments).length,
    restore: () => spy.mockRestore(),
  };
}
