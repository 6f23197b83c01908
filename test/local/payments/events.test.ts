import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestStripe, type TestStripe } from '#test/payments/stripe-server.ts';

let server: TestStripe;
beforeEach(async () => {
  server = await startTestStripe();
});
afterEach(() => server.close());

const names = (): string[] => server.received.map(({ event }) => (event.data.object as { name: string }).name);
const create = async (...customers: string[]) => {
  for (const name of customers) await server.stripe.customers.create({ name });
};

describe('events', () => {
  it('have a signature that the package accepts', async () => {
    await create('Ada');
    await expect.poll(() => server.received.length).toBe(1);
    const [{ body, signature }] = server.received as [TestStripe['received'][number]];
    const construct = (secret: string, at = server.now()) =>
      server.stripe.webhooks.constructEvent(body, signature, secret, 300, undefined, at);
    expect(construct(server.webhookSecret)).toMatchObject({
      type: 'customer.created',
      data: { object: { name: 'Ada' } },
    });
    expect(() => construct('whsec_other')).toThrow(/signature/);
    expect(() => construct(server.webhookSecret, server.now() + 400_000)).toThrow(/[Tt]imestamp/);
  });

  it('contain the previous values of changed attributes', async () => {
    const { id } = await server.stripe.customers.create({ name: 'Ada' });
    await server.stripe.customers.update(id, { name: 'Bea' });
    await server.advance();
    expect(server.received[1]!.event.data).toMatchObject({
      object: { name: 'Bea' },
      previous_attributes: { name: 'Ada' },
    });
  });

  it('are retried for three days until they are accepted, and listed as undelivered', async () => {
    server.answer(500);
    await create('Ada');
    await server.advance();
    const undelivered = async () => (await server.stripe.events.list({ delivery_success: false })).data;
    expect(await undelivered()).toMatchObject([{ type: 'customer.created', pending_webhooks: 1 }]);

    await server.move({ hours: 1 });
    expect(server.received).toEqual([]);
    server.answer(200);
    await server.move({ hours: 1 });
    expect(names()).toEqual(['Ada']);
    expect(await undelivered()).toEqual([]);
    expect((await server.stripe.events.list({ delivery_success: true })).data).toMatchObject([{ pending_webhooks: 0 }]);

    server.answer(500);
    await create('Bea');
    for (let hour = 0; hour < 80; hour += 1) await server.move({ hours: 1 });
    server.answer(200);
    await server.move({ days: 2 });
    expect(names()).toEqual(['Ada']);
    expect(await undelivered()).toMatchObject([{ pending_webhooks: 0 }]);
  });

  it('are delivered after a restart', async () => {
    server.answer(500);
    await create('Ada');
    await server.advance();
    await server.close();
    server = await startTestStripe({ file: server.file, start: '2027-01-31T11:00:00Z' });
    await expect.poll(names).toEqual(['Ada']);
  });

  it('can be fetched and filtered by type, and are deleted after 30 days', async () => {
    const customer = await server.stripe.customers.create({});
    await server.stripe.products.create({ name: 'A' });
    const { data } = await server.stripe.events.list({ types: ['product.created'] });
    expect(data).toMatchObject([{ type: 'product.created' }]);
    const [event] = (await server.stripe.events.list({ type: 'customer.*' })).data;
    expect(await server.stripe.events.retrieve(event!.id)).toMatchObject({ data: { object: { id: customer.id } } });
    await server.move({ days: 31 });
    await server.move({ days: 1 });
    await expect(server.stripe.events.retrieve(event!.id)).rejects.toMatchObject({ statusCode: 404 });
  });

  it('are delivered to other endpoints with their own secret and types', async () => {
    const endpoint = await server.stripe.webhookEndpoints.create({
      url: 'http://127.0.0.1:1/events',
      enabled_events: ['product.created'],
      api_version: '2026-10-28.endive',
    });
    expect(endpoint.secret).toMatch(/^whsec_/);
    expect((await server.stripe.webhookEndpoints.list()).data.map(({ secret }) => secret)).toEqual([
      undefined,
      undefined,
    ]);
    await create('Ada');
    await server.stripe.products.create({ name: 'A' });
    await server.advance();
    const { data } = await server.stripe.events.list({ delivery_success: false });
    expect(data).toMatchObject([{ type: 'product.created', pending_webhooks: 1 }]);
  });
});

describe('faults of events', () => {
  it('deliver an event twice', async () => {
    server.faults.order({ fault: 'event_twice', type: 'customer.' });
    await create('Ada', 'Bea');
    await server.advance();
    expect(names()).toEqual(['Ada', 'Ada', 'Bea']);
  });

  it('drop an event, which is listed as undelivered', async () => {
    server.faults.order({ fault: 'event_dropped' });
    await create('Ada', 'Bea');
    await server.advance();
    expect(names()).toEqual(['Bea']);
    const { data } = await server.stripe.events.list({ delivery_success: false });
    expect(data).toMatchObject([{ data: { object: { name: 'Ada' } } }]);
  });

  it('reverse the next events', async () => {
    server.faults.order({ fault: 'events_reversed', count: 3 });
    await create('Ada', 'Bea');
    await server.advance();
    expect(names()).toEqual([]);
    await create('Cyd');
    await server.advance();
    expect(names()).toEqual(['Cyd', 'Bea', 'Ada']);
  });

  it('hold events until they are released', async () => {
    server.faults.order({ fault: 'events_held' });
    await create('Ada', 'Bea');
    await server.advance();
    expect(names()).toEqual([]);
    const response = await fetch(`${server.url}/_control/events/release`, { method: 'POST' });
    expect(response.status).toBe(200);
    expect(names()).toEqual(['Ada', 'Bea']);
  });
});
