import { Webhook as Verifier } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { services } from '#runtime/services/container.ts';
import { chat, type Person, useTestService, type TestService } from '#test/service/service.ts';
import { useReceiver } from '#test/webhooks/receiver.ts';

const receiver = useReceiver();
const service = useTestService();

/** A person with a webhook for these events. */
async function subscriber(events: readonly string[], about: Parameters<TestService['person']>[0] = { planRank: 3 }) {
  const person = await service.person(about);
  const made = await service.call('POST', '/api/webhooks', { key: person.key, body: { url: receiver.url, events } });
  return { ...person, webhook: made.body.data as { id: string; secret: string } };
}

const sent = async (count: number) => {
  await expect.poll(() => receiver.received.length, { timeout: 8000, interval: 20 }).toBeGreaterThanOrEqual(count);
};
const types = () => receiver.events().map(({ type }) => String(type));
const typesSorted = () => types().toSorted();
const keyCall = (person: Person, method: string, path: string, body?: unknown) =>
  service.call(method, `/api/keys${path}`, { cookie: person.cookie, ...(body !== undefined && { body }) });

describe('an account’s events', () => {
  it('are sent once each and signed, in one transaction with their cause', async () => {
    const person = await subscriber(['*']);
    const made = await keyCall(person, 'POST', '', { name: 'new' });
    const rotated = await keyCall(person, 'POST', `/${made.body.data.id}/rotate`, { graceSeconds: 60 });
    await keyCall(person, 'DELETE', `/${rotated.body.data.id}`);
    await keyCall(person, 'DELETE', `/${rotated.body.data.id}`);
    await services().subscriptions().assign(person.id, 'pro_pass');
    await sent(6);
    await service.settled();
    expect(typesSorted()).toEqual([
      'credits.granted',
      'key.created',
      'key.revoked',
      'key.rotated',
      'subscription.created',
      'subscription.expired',
    ]);
    const verifier = new Verifier(person.webhook.secret);
    for (const { body, headers } of receiver.received) verifier.verify(body, headers as Record<string, string>);
    const of = (type: string) => receiver.events().find((event) => event.type === type).data;
    expect(of('key.created')).toMatchObject({ accountId: person.id, keyId: made.body.data.id });
    expect(of('key.rotated')).toMatchObject({
      keyId: rotated.body.data.id,
      previousKeyId: made.body.data.id,
      previousExpiresAt: expect.any(String),
    });
    expect(of('credits.granted')).toMatchObject({ credits: 100_000, source: 'plan' });
    expect(of('subscription.created')).toMatchObject({ planId: 'pro_pass' });
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(6);
  });

  it('are limited to the subscribed events of the own account', async () => {
    const person = await subscriber(['key.revoked']);
    const other = await service.person({ planRank: 3 });
    for (const somebody of [person, other]) {
      const { body } = await keyCall(somebody, 'POST', '', { name: 'short-lived' });
      await keyCall(somebody, 'DELETE', `/${body.data.id}`);
    }
    await sent(1);
    await service.settled();
    await service.settled();
    expect(types()).toEqual(['key.revoked']);
    expect(receiver.events()[0].data.accountId).toBe(person.id);
  });

  it('report low and exhausted credits, and a reached key limit', async () => {
    const person = await subscriber(['credits.low', 'credits.exhausted', 'key.limit_reached'], {
      planRank: 3,
      credits: 5,
    });
    const limited = await keyCall(person, 'POST', '', { name: 'two', limit: { credits: 2, period: 'day' } });
    const { key, id } = limited.body.data;
    const call = (with_: string) => service.call('POST', '/v1/chat/completions', { key: with_, body: chat() });
    for (let count = 0; count < 3; count++) await call(key);
    await sent(1);
    expect(receiver.events()).toMatchObject([
      { type: 'key.limit_reached', data: { keyId: id, used: 2, limit: { credits: 2, period: 'day' } } },
    ]);
    for (let count = 0; count < 4; count++) await call(person.key);
    await sent(3);
    await service.settled();
    const inOrder = receiver.events().toSorted((one, other) => one.data.seq - other.data.seq);
    expect(inOrder.map(({ type }) => type)).toEqual(['key.limit_reached', 'credits.low', 'credits.exhausted']);
    const [, low, exhausted] = inOrder;
    expect([low.data.balance, exhausted.data.balance]).toEqual([1, 0]);
    expect(low.data.seq).toBeLessThan(exhausted.data.seq);
  });

  it('are delivered to each webhook until that webhook is deleted', async () => {
    const person = await subscriber(['key.created']);
    const second = await service.call('POST', '/api/webhooks', {
      key: person.key,
      body: { url: `${receiver.url}/second`, events: ['*'] },
    });
    // Events of other tests’ accounts may still arrive.
    const own = () => receiver.received.filter(({ body }) => JSON.parse(body).data.accountId === person.id);
    await keyCall(person, 'POST', '', { name: 'one' });
    await expect.poll(() => own().length, { timeout: 8000, interval: 20 }).toBe(2);
    expect(
      own()
        .map(({ path }) => path)
        .toSorted(),
    ).toEqual(['/hook', '/hook/second']);
    const ids = own().map(({ headers }) => headers['webhook-id']);
    expect(ids[0]).toBe(ids[1]);
    await service.call('DELETE', `/api/webhooks/${second.body.data.id}`, { key: person.key });
    await service.call('PATCH', `/api/webhooks/${person.webhook.id}`, {
      key: person.key,
      body: { status: 'disabled' },
    });
    await keyCall(person, 'POST', '', { name: 'two' });
    await service.settled();
    await service.settled();
    expect(own()).toHaveLength(2);
  });
});
