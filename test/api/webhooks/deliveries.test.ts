import { Webhook as Verifier } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { services } from '#runtime/services/container.ts';
import { mailsTo } from '#test/requests/accounts/inbox.ts';
import { code, type Person, useTestService } from '#test/service/service.ts';
import { respondWith, useReceiver } from '#test/webhooks/receiver.ts';

const receiver = useReceiver();
const service = useTestService();

interface Owner extends Person {
  readonly path: string;
  readonly secret: string;
}

async function owner(): Promise<Owner> {
  const person = await service.person({ planRank: 3 });
  const body = { url: receiver.url, events: ['key.created'] };
  const { id, secret } = (await service.call('POST', '/api/webhooks', { key: person.key, body })).body.data;
  return { ...person, path: `/api/webhooks/${id}`, secret };
}

const call = ({ key, path }: Owner, method: string, below = '', body?: unknown) =>
  service.call(method, path + below, { key, ...(body !== undefined && { body }) });
const log = async (somebody: Owner): Promise<any[]> => (await call(somebody, 'GET', '/deliveries')).body.data.items;
const noticesTo = async ({ email }: Owner) =>
  (await mailsTo(service, email)).filter(({ subject }) => subject === 'Your webhook was disabled');
const newKey = ({ cookie }: Owner) => service.call('POST', '/api/keys', { cookie, body: { name: 'new' } });
const sent = async (count: number) => {
  await expect.poll(() => receiver.received.length, { timeout: 8000, interval: 20 }).toBeGreaterThanOrEqual(count);
};
const newest = async (somebody: Owner, about: object) => {
  await expect.poll(async () => (await log(somebody))[0], { timeout: 8000, interval: 50 }).toMatchObject(about);
};

describe('a webhook test', () => {
  it('is sent whatever events the webhook subscribes to, and its response is shown as text', async () => {
    receiver.respond(respondWith(200, { 'content-type': 'text/html' }, '<script>alert(1)</script>'));
    const somebody = await owner();
    const tested = await call(somebody, 'POST', '/test');
    expect(code(tested)).toBe('201 SUCCESS');
    expect(tested.body.data).toMatchObject({ type: 'webhook.test', status: 'pending', attempts: 0 });
    await sent(1);
    const { body, headers } = receiver.received[0]!;
    new Verifier(somebody.secret).verify(body, headers as Record<string, string>);
    await newest(somebody, {
      id: tested.body.data.id,
      eventId: headers['webhook-id'],
      status: 'delivered',
      attempts: 1,
      responseStatus: 200,
      response: '<script>alert(1)</script>',
      error: null,
      nextAttemptAt: null,
      body,
    });
  });

  it('is not sent to a disabled webhook, and at most twenty times a minute', async () => {
    const somebody = await owner();
    await call(somebody, 'PATCH', '', { status: 'disabled' });
    expect(code(await call(somebody, 'POST', '/test'))).toBe('409 INVALID_STATE');
    await call(somebody, 'PATCH', '', { status: 'active' });
    for (let count = 0; count < 20; count++) expect(code(await call(somebody, 'POST', '/test'))).toBe('201 SUCCESS');
    const refused = await call(somebody, 'POST', '/test');
    expect(code(refused)).toBe('429 RATE_LIMIT_EXCEEDED');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    await sent(20);
  });
});

describe('a webhook delivery', () => {
  it('is signed with both secrets during a rotation', async () => {
    const somebody = await owner();
    const { secret } = (await call(somebody, 'POST', '/rotate-secret', { graceSeconds: 60 })).body.data;
    await call(somebody, 'POST', '/test');
    await sent(1);
    const { body, headers } = receiver.received[0]!;
    for (const one of [secret, somebody.secret]) new Verifier(one).verify(body, headers as Record<string, string>);
    await service.post('/_local/clock', { advance: 'PT1M' });
    await call(somebody, 'POST', '/test');
    await sent(2);
    const later = receiver.received[1]!;
    new Verifier(secret).verify(later.body, later.headers as Record<string, string>);
    const old = new Verifier(somebody.secret);
    expect(() => old.verify(later.body, later.headers as Record<string, string>)).toThrow('No matching signature');
  });

  it('is retried on schedule after a failure, with the same id and body', async () => {
    const somebody = await owner();
    receiver.respond(respondWith(500, {}, 'not now'));
    await newKey(somebody);
    await newest(somebody, { status: 'pending', attempts: 1, responseStatus: 500, response: 'not now' });
    await service.post('/_local/clock', { advance: 'PT6S' });
    await newest(somebody, { status: 'pending', attempts: 2 });
    receiver.respond(respondWith(200));
    await service.post('/_local/clock', { advance: 'PT6M' });
    await newest(somebody, { status: 'delivered', attempts: 3, nextAttemptAt: null });
    const same = receiver.received.map(({ headers, body }) => `${String(headers['webhook-id'])} ${body}`);
    expect([same.length, new Set(same).size]).toEqual([3, 1]);
    // Signatures use the real time, whatever the service's clock shows.
    for (const { headers } of receiver.received)
      expect(Math.abs(Number(headers['webhook-timestamp']) - Date.now() / 1000)).toBeLessThan(60);
  });

  it('is repeated on request, whatever its status', async () => {
    const somebody = await owner();
    await newKey(somebody);
    await newest(somebody, { status: 'delivered' });
    const [{ id }] = await log(somebody);
    const again = await call(somebody, 'POST', `/deliveries/${id}/redeliver`);
    expect(again.body.data).toMatchObject({ id, status: 'pending', attempts: 1 });
    await sent(2);
    await newest(somebody, { id, status: 'delivered', attempts: 2 });
    expect(await log(somebody)).toHaveLength(1);
    const [first, second] = receiver.received;
    expect([second!.headers['webhook-id'], second!.body]).toEqual([first!.headers['webhook-id'], first!.body]);
    expect(code(await call(somebody, 'POST', '/deliveries/dlv_none/redeliver'))).toBe('404 NOT_FOUND');
  });

  it('is listed newest first, in pages, for 30 days', async () => {
    const somebody = await owner();
    const ids: string[] = [];
    for (let count = 0; count < 5; count++) {
      ids.unshift((await call(somebody, 'POST', '/test')).body.data.id);
      await service.post('/_local/clock', { advance: 'PT1S' });
    }
    const page = async (query: string) => (await call(somebody, 'GET', `/deliveries${query}`)).body.data;
    const first = await page('?limit=3');
    const second = await page(`?limit=3&cursor=${first.nextCursor}`);
    expect([...first.items, ...second.items].map(({ id }: { id: string }) => id)).toEqual(ids);
    expect(second.nextCursor).toBeNull();
    await sent(5);
    await service.post('/_local/clock', { advance: 'P30D' });
    expect(await log(somebody)).toEqual([]);
    expect(code(await call(somebody, 'POST', `/deliveries/${ids[0]}/redeliver`))).toBe('404 NOT_FOUND');
  });

  it('that receives a 410 disables its webhook, and sends one email to the owner', async () => {
    const somebody = await owner();
    receiver.respond(respondWith(410));
    await newKey(somebody);
    await expect
      .poll(async () => (await call(somebody, 'GET')).body.data, { timeout: 8000, interval: 50 })
      .toMatchObject({ status: 'disabled', disabledReason: 'gone' });
    const mails = () => noticesTo(somebody);
    await expect.poll(mails, { timeout: 8000 }).toHaveLength(1);
    const [mail] = await mails();
    expect(mail?.text).toContain(`127.0.0.1:${receiver.port}`);
    expect(mail?.text).toContain(`${service.origin}/webhooks`);
    receiver.respond(respondWith(200));
    await newKey(somebody);
    await service.settled();
    expect(receiver.received).toHaveLength(1);
    await call(somebody, 'PATCH', '', { status: 'active' });
    await newKey(somebody);
    await sent(2);
  });

  it('that receives a 410 causes at most ten emails a day, even if the webhook is recreated', async () => {
    const somebody = await owner();
    receiver.respond(respondWith(410));
    const status = async ({ path }: Owner) => (await call({ ...somebody, path }, 'GET')).body.data.status;
    for (let turn = 0; turn < 12; turn++) {
      const body = { url: receiver.url, events: ['*'] };
      const { id } = (await service.call('POST', '/api/webhooks', { key: somebody.key, body })).body.data;
      const gone = { ...somebody, path: `/api/webhooks/${id}` };
      expect(code(await call(gone, 'POST', '/test'))).toBe('201 SUCCESS');
      await expect.poll(() => status(gone), { timeout: 8000, interval: 50 }).toBe('disabled');
      await call(gone, 'DELETE');
    }
    expect(await noticesTo(somebody)).toHaveLength(10);
  });
});

/** A person with a webhook for these events. */
async function subscriber(events: readonly string[]) {
  const person = await service.person({ planRank: 3 });
  const made = await service.call('POST', '/api/webhooks', { key: person.key, body: { url: receiver.url, events } });
  return { ...person, webhook: made.body.data as { id: string; secret: string } };
}

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

  it('reach only subscribed webhooks of the same account', async () => {
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
});
