import { readFile } from 'node:fs/promises';
import Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeFolder, testFolder } from '#test/folder.ts';
import { type OfferFile, startOffered } from '#test/service/offered-service.ts';

type Service = Awaited<ReturnType<typeof startOffered>>;

const specification = new URL('../../../examples/offers/specification.json', import.meta.url);

describe('a service that accepts payments and changes its prices', () => {
  let folder: string;
  let offer: OfferFile;
  let service: Service;

  /** Restarts the service with other prices and credits of plans. */
  async function sell(changes: Record<string, { priceUsd: number; creditsPerMonth: number }>): Promise<void> {
    const plans = offer['plans'].map((plan: { name: string }) => ({ ...plan, ...changes[plan.name] }));
    await service?.stop();
    service = await startOffered({ ...offer, plans }, folder, { takesPayments: true });
  }

  async function pay(id: string): Promise<void> {
    expect(await service.call('POST', `/_local/payments/${id}`, { outcome: 'paid' })).toMatchObject({ status: 200 });
    await expect.poll(async () => (await service.call('GET', `/api/payments/${id}`)).body.data?.status).toBe('granted');
  }

  /** Payments by kind, with cents and credits, oldest first. */
  async function payments(): Promise<string[]> {
    const { items } = (await service.call('GET', '/api/payments')).body.data;
    const charged = items.filter(({ kind }: any) => kind !== 'pack');
    return charged
      .map(({ kind, amount, credits, status }: any) => `${kind} ${amount} ${credits} ${status}`)
      .toReversed();
  }

  const subscription = async () => (await service.call('GET', '/api/subscription')).body.data;

  /** Moves to an hour after the next renewal, and waits until it is paid. */
  async function renew(): Promise<void> {
    const before = (await payments()).length;
    await service.advance('P1M');
    await service.advance('PT2H');
    await expect.poll(async () => (await payments()).length).toBe(before + 1);
    await expect.poll(async () => (await payments()).at(-1)).toContain('granted');
  }

  beforeAll(async () => {
    folder = await testFolder();
    offer = JSON.parse(await readFile(specification, 'utf8'));
    offer['packs'] = [{ id: 'small', credits: 500, priceUsd: 5 }];
    await sell({});
  });
  afterAll(async () => {
    await service.stop();
    await removeFolder(folder);
  });

  /** Ends the plan that the demo account has without payment. */
  async function endFreePlan(): Promise<void> {
    const { id } = await subscription();
    expect(await service.call('PATCH', `/api/subscription/${id}/cancel`)).toMatchObject({ status: 200 });
    await service.advance('P1M');
    await service.advance('PT1H');
  }

  /** Replaces the saved card by another of Stripe's test cards. */
  async function useCard(token: string): Promise<void> {
    const { url } = (await service.call('POST', '/api/payments/checkout', { pack: 'small' })).body.data;
    const { hostname, port } = new URL(url);
    const stripe = new Stripe('sk_test_local', { host: hostname, port, protocol: 'http', telemetry: false });
    const [customer] = (await stripe.customers.list()).data;
    const id = customer?.id ?? '';
    const { data } = await stripe.customers.listPaymentMethods(id);
    for (const method of data) await stripe.paymentMethods.detach(method.id);
    const method = await stripe.paymentMethods.attach(token, { customer: id });
    await stripe.customers.update(id, { invoice_settings: { default_payment_method: method.id } });
    const [plan] = (await stripe.subscriptions.list({ customer: id })).data;
    await stripe.subscriptions.update(plan?.id ?? '', { default_payment_method: method.id });
  }

  const change = (way: 'upgrade' | 'downgrade', newPlanId: string) =>
    service.call('PUT', `/api/subscription/${way}-plan`, { newPlanId });

  it('sells at the price of the opened page, renews what was bought, and applies new prices to changes only', async () => {
    await endFreePlan();
    const opened = await service.call('POST', '/api/payments/checkout', { planId: 'dev_pass' });
    expect(opened.status).toBe(201);
    await sell({
      dev_pass: { priceUsd: 40, creditsPerMonth: 4000 },
      smm_pass: { priceUsd: 120, creditsPerMonth: 30_000 },
    });
    await pay(opened.body.data.id);
    expect(await subscription()).toMatchObject({ planId: 'dev_pass', price: 29.99, monthlyCredits: 5000 });

    await renew();
    expect(await payments()).toEqual(['plan 2999 5000 granted', 'renewal 2999 5000 granted']);

    const upgraded = await change('upgrade', 'smm_pass');
    expect(upgraded.status).toBe(200);
    const { amount, credits } = upgraded.body.data.proration;
    // The difference between the new price and the kept one, for the rest of the month.
    expect(amount).toBeGreaterThan(88);
    expect(amount).toBeLessThanOrEqual(120 - 29.99);
    expect(credits).toBeLessThanOrEqual(30_000 - 5000);
    await sell({
      dev_pass: { priceUsd: 40, creditsPerMonth: 4000 },
      smm_pass: { priceUsd: 150, creditsPerMonth: 20_000 },
    });
    await renew();

    expect((await payments()).slice(2)).toEqual([
      `upgrade ${Math.round(amount * 100)} ${credits} granted`,
      'renewal 12000 30000 granted',
    ]);
    expect(await subscription()).toMatchObject({ planId: 'smm_pass', price: 120, monthlyCredits: 30_000 });
  }, 60_000);

  it('charges a scheduled plan at the price of its schedule', async () => {
    expect((await change('downgrade', 'dev_pass')).status).toBe(200);
    await sell({ dev_pass: { priceUsd: 50, creditsPerMonth: 3000 } });

    await renew();

    expect((await payments()).slice(4)).toEqual(['renewal 4000 4000 granted']);
    expect(await subscription()).toMatchObject({ planId: 'dev_pass', price: 40, monthlyCredits: 4000 });
  }, 60_000);

  it('upgrades at the price of the confirmed payment, although the price has changed before', async () => {
    await useCard('pm_card_authenticationRequired');
    expect((await change('upgrade', 'pro_pass')).status).toBe(402);
    const [waiting] = (await service.call('GET', '/api/payments')).body.data.items;
    expect(waiting).toMatchObject({ kind: 'upgrade', status: 'action_required' });
    await sell({ pro_pass: { priceUsd: 500, creditsPerMonth: 50_000 } });
    await pay(waiting.id);
    expect(await subscription()).toMatchObject({ planId: 'pro_pass', price: 299.99, monthlyCredits: 100_000 });
    await useCard('pm_card_visa');

    await renew();

    expect((await payments()).at(-1)).toBe('renewal 29999 100000 granted');
  }, 60_000);
});
