import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { routes } from '#contract/routes.ts';
import { gatewayEvent } from '#local/gateway/event.ts';
import { apiHandler } from '#local/gateway/lambda.ts';
import { services } from '#runtime/services/container.ts';
import { refusedPayments, signed, small, usePayingService } from '#test/payments/paying-service.ts';
import { withEnvironment } from '#test/service/environment.ts';

const service = usePayingService();
const granted = small.credits * 1_000_000;

/** A paid order of which no event has arrived yet. */
async function paidInSilence() {
  await service.fault({ fault: 'event_dropped', count: 100 });
  const person = await service.person();
  const { id } = await service.opened(person);
  const { session = '' } = (await service.order(person, id))!.provider;
  await service.script(id, 'paid');
  await service.quiet();
  await service.noFaults();
  expect(await service.purchased(person)).toBe(0);
  return { person, id, session };
}

/** Handles an event at once, without the queue, which would repeat a failure. */
async function handled(type: string, objectId: string): Promise<void> {
  const { events, store } = await services().payments();
  const id = `evt_${randomUUID()}`;
  await store.receive({ id, type, objectId, receivedAt: services().clock.now() });
  await events.handle(id);
}

async function paidSession(customer: string, metadata: Record<string, string>): Promise<string> {
  const { id, url } = await service.stripe().checkout.sessions.create({
    mode: 'payment',
    customer,
    metadata,
    line_items: [
      { price_data: { currency: 'usd', product_data: { name: 'x' }, unit_amount: small.cents }, quantity: 1 },
    ],
    payment_intent_data: { metadata },
    success_url: 'http://127.0.0.1:1/',
  });
  expect(url).not.toBeNull();
  await service.script(id, 'paid');
  await service.quiet();
  return id;
}

describe('an event', () => {
  it('grants once if Stripe delivers it twice and again later', async () => {
    const { person, id, session } = await paidInSilence();
    const event = { id: `evt_${randomUUID()}`, object: session };

    expect([await service.sendEvent(event), await service.sendEvent(event)]).toEqual([200, 200]);
    await service.quiet();
    await service.sendEvent(event);
    await service.quiet();

    expect(await service.purchased(person)).toBe(granted);
    expect(await service.payment(person, id)).toMatchObject({ status: 'granted', credits: small.credits });
  });

  it("grants once if 100 deliveries race with the buyer's return", async () => {
    const { person, id, session } = await paidInSilence();

    const [statuses, ...views] = await Promise.all([
      Promise.all(Array.from({ length: 100 }, () => service.sendEvent({ object: session }))),
      ...Array.from({ length: 10 }, () => service.as('GET', `/api/payments/${id}`, person)),
    ]);
    await service.quiet();

    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(new Set(views.map(({ status }) => status)).difference(new Set([200, 503]))).toEqual(new Set());
    expect(await service.purchased(person)).toBe(granted);
    expect((await service.meter(person)).lots.filter(({ source }) => source === 'purchase')).toHaveLength(1);
  });

  it('grants once if the stand-in delivers it twice', async () => {
    const person = await service.person();
    const { id } = await service.opened(person);
    await service.fault({ fault: 'event_twice', count: 100 });

    await service.script(id, 'paid');
    await service.quiet();
    await service.noFaults();

    expect(await service.purchased(person)).toBe(granted);
  });

  it('changes nothing if it arrives after the refund that followed it', async () => {
    const person = await service.person();
    const { id } = await service.opened(person);
    await service.fault({ fault: 'events_held' });
    await service.script(id, 'paid');
    await service.script(id, 'refunded');
    const waiting = await service.stripe().events.list({ delivery_success: false, limit: 100 });
    const ours = waiting.data.filter(({ created }) => created * 1000 > services().clock.now() - 60_000);
    await service.fault({ fault: 'events_reversed', count: ours.length });

    await service.release();
    await service.quiet();

    expect(await service.payment(person, id)).toMatchObject({ status: 'refunded', refundedAmount: small.cents });
    expect((await service.meter(person)).spendable).toBe(100 * 1_000_000);
    await service.sendEvent({ object: (await service.order(person, id))!.provider.session ?? '' });
    await service.quiet();
    expect((await service.meter(person)).spendable).toBe(100 * 1_000_000);
  });

  it('grants once if it arrives three days late', async () => {
    const person = await service.person();
    const { id } = await service.opened(person);
    await service.fault({ fault: 'events_held' });
    await service.script(id, 'paid');
    await service.advance('P3D');
    await service.release();
    await service.quiet();

    expect(await service.payment(person, id)).toMatchObject({ status: 'granted' });
    expect(await service.purchased(person)).toBe(granted);
  });
});

describe('a signature', () => {
  const object = 'cs_unknown';
  it.each([
    ['forged', { secrets: ['whsec_other'] }],
    ['of a blank secret', { secrets: [''] }],
    ['of a blank secret with its prefix', { secrets: ['whsec_'] }],
    ['absent', { secrets: [] }],
    ['301 s old', { at: -301 }],
    ['61 s in the future', { at: 62 }],
  ])('is refused if it is %s', async (_, signing) => {
    expect(await service.sendEvent({ object }, signing)).toBe(400);
  });

  it.each([
    ['299 s old', { at: -299 }],
    ['59 s in the future', { at: 59 }],
  ])('is accepted if it is %s', async (_, signing) => {
    expect(await service.sendEvent({ object }, signing)).toBe(200);
  });

  it('is refused if the body differs', async () => {
    const now = Math.floor(services().clock.now() / 1000);
    const signature = `t=${now},v1=${signed('{}', service.secretOf(), now)}`;
    expect(await service.postEvent('{"id":"evt_1"}', signature)).toBe(400);
  });

  it('is accepted from either signing secret during a roll, even next to an unknown signature', async () => {
    const { apiKey } = JSON.parse(process.env['PAYMENTS_SECRET_VALUE'] ?? '{}');
    const old = service.secretOf();
    const webhookSecrets = ['whsec_the_new_one', old];
    const restore = withEnvironment({ PAYMENTS_SECRET_VALUE: JSON.stringify({ apiKey, webhookSecrets }) });
    const sent = [[old], ['whsec_the_new_one'], ['whsec_other', old], ['whsec_other']];
    const statuses = [];
    for (const secrets of sent) statuses.push(await service.sendEvent({ object }, { secrets }));
    restore();

    expect(statuses).toEqual([200, 200, 200, 400]);
  });

  it('is refused for an event of another mode', async () => {
    expect(await service.sendEvent({ object, livemode: true })).toBe(400);
  });

  it('is verified over the decoded bytes of a body that API Gateway encoded as base64', async () => {
    const seconds = Math.floor(services().clock.now() / 1000);
    const body = JSON.stringify({
      id: `evt_${randomUUID()}`,
      object: 'event',
      type: 'invoice.paid',
      livemode: false,
      data: { object: { id: 'in_ü' } },
    });
    const send = async (text: string): Promise<number> => {
      const event = gatewayEvent({
        method: 'POST',
        path: routes.receiveStripeEvent.path,
        resource: routes.receiveStripeEvent.path,
        pathParameters: {},
        query: '',
        rawHeaders: ['stripe-signature', `t=${seconds},v1=${signed(body, service.secretOf(), seconds)}`],
        sourceIp: '127.0.0.1',
        body: Buffer.from(text),
        isBinary: true,
        requestId: randomUUID(),
        at: new Date(),
      });
      expect(event.isBase64Encoded).toBe(true);
      const handler = await apiHandler(routes.receiveStripeEvent.id);
      return ((await handler(event, {})) as { statusCode: number }).statusCode;
    };

    expect([await send(body), await send(`${body} `)]).toEqual([200, 400]);
  });
});

describe('an event for an unknown session', () => {
  it('grants nothing and raises the alarm if its customer belongs to another account', async () => {
    const victim = await service.person();
    await service.bought(victim);
    const thief = await service.person();
    const { id } = await service.opened(thief);
    const { customer = '' } = await service.profile(victim);
    const refused = refusedPayments();

    const session = await paidSession(customer, { account: String(thief.id), order: id });
    await handled('checkout.session.completed', session);

    expect(refused.count()).toBeGreaterThan(0);
    expect(await service.purchased(thief)).toBe(0);
    expect(await service.payment(thief, id)).toMatchObject({ status: 'created' });
    await service.stripe().refunds.create({ payment_intent: await intentOf(session) });
    refused.restore();
  });

  it('raises the alarm and is retried if its order does not exist', async () => {
    const person = await service.person();
    await service.bought(person);
    const { customer = '' } = await service.profile(person);
    const refused = refusedPayments();
    await service.fault({ fault: 'event_dropped', count: 100 });
    const session = await paidSession(customer, { account: String(person.id), order: 'ord_unknown' });
    await service.noFaults();

    await expect(handled('checkout.session.completed', session)).rejects.toMatchObject({ code: 'NOT_FOUND' });

    expect(refused.count()).toBe(1);
    expect(await service.purchased(person)).toBe(granted);
    refused.restore();
    const { reconciliation } = await services().payments();
    const { differences } = await reconciliation.fromProvider();
    expect(differences).toContainEqual({ id: session, problem: 'its order does not exist' });
  });

  it('is ignored if its metadata has no order', async () => {
    const person = await service.person();
    await service.bought(person);
    const { customer = '' } = await service.profile(person);
    const refused = refusedPayments();

    const session = await paidSession(customer, {});

    await handled('checkout.session.completed', session);
    expect(refused.count()).toBe(0);
    expect(await service.purchased(person)).toBe(granted);
    refused.restore();
  });
});

async function intentOf(session: string): Promise<string> {
  const { payment_intent: intent } = await service.stripe().checkout.sessions.retrieve(session);
  return typeof intent === 'string' ? intent : (intent?.id ?? '');
}

it('ledgers are exact, and no credits exist without a payment', async () => {
  const { reconciliation } = await services().payments();
  expect((await reconciliation.fromOrders()).differences).toEqual([]);
  expect(await service.auditFindings()).toEqual([]);
});
