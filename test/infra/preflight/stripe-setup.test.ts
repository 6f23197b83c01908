import Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startTestStripe, type TestStripe } from '#test/payments/stripe-server.ts';
import { runCommand } from '#test/run-command.ts';
import { eventTypes, setUpStripe } from '../../../bin/stripe/set-up.ts';

const url = 'https://text.example.com/api/payments/stripe-events';

describe('npm run stripe-setup', () => {
  let server: TestStripe;
  let stripe: Stripe;
  beforeAll(async () => {
    server = await startTestStripe();
    stripe = server.stripe;
  });
  afterAll(() => server.close());

  const run = async (isCheck = false) => setUpStripe({ stripe, url, isCheck });
  const statuses = async (isCheck?: boolean) => (await run(isCheck)).map(({ status }) => status);
  const endpoints = async () => (await stripe.webhookEndpoints.list()).data.filter((one) => one.url === url);
  const portal = async () => (await stripe.billingPortal.configurations.list({ is_default: true })).data[0]!;

  it('reports a missing endpoint and portal, and changes nothing with --check', async () => {
    const { id } = await portal();
    await stripe.billingPortal.configurations.update(id, { active: false });
    expect(await run(true)).toEqual([
      { status: 'wrong', detail: expect.stringContaining(`no enabled endpoint for ${url}`) },
      { status: 'wrong', detail: expect.stringContaining('save Settings > Billing > Customer portal once') },
    ]);
    expect(await endpoints()).toEqual([]);
    await stripe.billingPortal.configurations.update(id, { active: true });
  });

  it('creates the endpoint with the API version of the package, and prints its signing secret once', async () => {
    const [created, portal] = await run();
    expect(created).toMatchObject({ status: 'changed', signingSecret: expect.stringMatching(/^whsec_/) });
    expect(portal).toMatchObject({ status: 'ok' });
    expect(await endpoints()).toMatchObject([
      { api_version: Stripe.API_VERSION, status: 'enabled', enabled_events: [...eventTypes] },
    ]);
    const again = await run();
    expect(again.map(({ status }) => status)).toEqual(['ok', 'ok']);
    expect(again.every(({ signingSecret }) => signingSecret === undefined)).toBe(true);
  });

  it('corrects the event types of the endpoint, which exclude draft invoices', async () => {
    const [{ id }] = (await endpoints()) as [Stripe.WebhookEndpoint];
    const changed = ['invoice.created', ...eventTypes.slice(1)] as (typeof eventTypes)[number][];
    await stripe.webhookEndpoints.update(id, { enabled_events: changed });
    const detail = `endpoint ${id} without ${eventTypes[0]} and with unused invoice.created`;
    expect((await run(true))[0]).toEqual({ status: 'wrong', detail });
    expect((await run())[0]).toEqual({ status: 'changed', detail: `${detail}: corrected` });
    expect((await endpoints())[0]!.enabled_events.toSorted()).toEqual([...eventTypes].toSorted());
    expect(eventTypes).not.toContain('invoice.created');
  });

  it('creates a new endpoint in addition to one that is disabled or has another API version, and leaves the old one to the operator', async () => {
    const [{ id }] = (await endpoints()) as [Stripe.WebhookEndpoint];
    await stripe.webhookEndpoints.update(id, { disabled: true });
    const [created, old] = await run();
    expect(created).toMatchObject({ status: 'changed', signingSecret: expect.any(String) });
    expect(old).toMatchObject({ status: 'wrong', detail: expect.stringContaining(`${id} is disabled`) });
    await stripe.webhookEndpoints.del(id);
    expect(await statuses()).toEqual(['ok', 'ok']);
    const listed = vi.spyOn(stripe.webhookEndpoints, 'list');
    const [endpoint] = await endpoints();
    listed.mockReturnValue([{ ...endpoint, api_version: '2025-03-31.basil' }] as unknown as ReturnType<typeof listed>);
    expect(await run(true)).toMatchObject([
      { status: 'wrong', detail: expect.stringContaining(`no enabled endpoint for ${url}`) },
      { status: 'wrong', detail: expect.stringContaining('with API version 2025-03-31.basil') },
      { status: 'ok' },
    ]);
    listed.mockRestore();
  });

  it('enables card, invoices, address and tax id in the customer portal', async () => {
    const { id } = await portal();
    const customer_update = { enabled: true, allowed_updates: ['email' as const] };
    await stripe.billingPortal.configurations.update(id, { features: { customer_update } });
    const detail = `customer portal ${id} with another invoice_history, payment_method_update, customer_update`;
    expect((await run(true))[1]).toEqual({ status: 'wrong', detail });
    expect((await run())[1]).toEqual({ status: 'changed', detail: `${detail}: corrected` });
    expect((await portal()).features).toMatchObject({
      customer_update: { enabled: true, allowed_updates: ['address', 'tax_id'] },
      invoice_history: { enabled: true },
      payment_method_update: { enabled: true },
    });
    expect(await statuses()).toEqual(['ok', 'ok']);
  });

  it('switches off changes, pauses and cancellations of plans in the portal', async () => {
    const { configurations } = stripe.billingPortal;
    const current = await portal();
    const features = {
      ...current.features,
      ...(Object.fromEntries(
        ['subscription_cancel', 'subscription_pause', 'subscription_update'].map((name) => [name, { enabled: true }]),
      ) as Pick<typeof current.features, 'subscription_cancel' | 'subscription_pause' | 'subscription_update'>),
    };
    // The stand-in refuses these features, as the service needs it.
    const listed = vi.spyOn(configurations, 'list');
    listed.mockResolvedValue({ data: [{ ...current, features }] } as unknown as Awaited<ReturnType<typeof listed>>);
    const updated = vi.spyOn(configurations, 'update');
    expect((await run())[1]).toMatchObject({
      status: 'changed',
      detail: expect.stringContaining('subscription_cancel, subscription_pause, subscription_update'),
    });
    expect(updated).toHaveBeenCalledWith(current.id, {
      features: expect.objectContaining({
        subscription_cancel: { enabled: false },
        subscription_pause: { enabled: false },
        subscription_update: { enabled: false },
      }),
    });
    vi.restoreAllMocks();
  });

  it('fails for a stage without payments', async () => {
    const { status, err } = await runCommand('bin/stripe-setup.ts', ['live'], {});
    expect([status, err.trim()]).toEqual([1, 'The stage live has no payments: set payments in lib/stages.ts.']);
  });
});
