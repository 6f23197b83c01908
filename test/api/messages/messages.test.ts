import { Webhook as Verifier } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { claimOf } from '#domain/shared/idempotency.ts';
import { setInRow } from '#test/database/rows.ts';
import { numberFor, reached, sender } from '#test/messages/sender.ts';
import { code, startTestService, type TestService } from '#test/service/service.ts';
import { startReceiver } from '#test/webhooks/receiver.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const eventually = <T>(expectation: () => Promise<T>) => vi.waitFor(expectation, { timeout: 10_000, interval: 50 });

describe('messages', () => {
  it('are listed newest first, by channel and status, in pages, to their account only, for 30 days', async () => {
    const [me, other] = [await sender(service), await sender(service)];
    const sent: string[] = [];
    for (const about of [{}, { channel: 'voice_call', voice: 'hans' }, { to: numberFor('03') }, {}])
      sent.push(code(await me.send({ to: numberFor(), ...about })));
    expect(sent).toEqual(['201 SUCCESS', '201 SUCCESS', '409 RECIPIENT_OPTED_OUT', '201 SUCCESS']);
    await eventually(async () => expect((await me.list('?status=delivered')).items).toHaveLength(3));
    const { items } = await me.list();
    const moments = items.map(({ createdAt }: any) => String(createdAt));
    expect(moments).toEqual(moments.toSorted().toReversed());
    expect(items.map(({ id }: any) => id)).toEqual(
      items
        .map(({ id }: any) => id)
        .toSorted()
        .toReversed(),
    );
    expect((await me.list('?channel=voice_call')).items).toMatchObject([
      { voice: 'hans', segments: null, encoding: null },
    ]);
    expect((await me.list('?status=failed')).items).toMatchObject([{ credits: 0 }]);
    const first = await me.list('?limit=3');
    const second = await me.list(`?limit=3&cursor=${first.nextCursor}`);
    expect([...first.items, ...second.items]).toEqual(items);
    expect(second.nextCursor).toBeNull();
    expect((await other.list()).items).toEqual([]);
    expect(code(await service.call('GET', `/api/messages/${items[0].id}`, { key: other.key }))).toBe('404 NOT_FOUND');
    expect(await me.get(items[0].id)).toEqual(items[0]);
    await service.post('/_local/clock', { advance: 'P30D' });
    expect((await me.list()).items).toEqual([]);
  });

  it('are sent once with an Idempotency-Key, and shown on the phone', async () => {
    const me = await sender(service);
    const to = numberFor();
    const options = { headers: { 'idempotency-key': 'order-1' } };
    const [one, again] = [await me.send({ to, text: '<b>&' }, options), await me.send({ to, text: '<b>&' }, options)];
    expect(again.body.data).toEqual(one.body.data);
    expect(await me.credits()).toBe(5098);
    expect(await reached(service, to)).toMatchObject([{ channel: 'sms', text: '<b>&' }]);
    const page = await (await fetch(`${service.origin}/_local/phone`)).text();
    expect(page).toContain('&lt;b&gt;&amp;');
    expect(page).not.toContain('<b>&');
  });

  it('are found by their Idempotency-Key where its record is lost, with the body that sent them only', async () => {
    const me = await sender(service);
    const to = numberFor();
    const send = (text: string) => me.send({ to, text }, { headers: { 'idempotency-key': 'order-2' } });
    const first = await send('Hello');
    const { id } = claimOf({ accountId: me.id, routeId: 'send-message', key: 'order-2', requestId: '', input: {} });
    await setInRow('idempotency', { id }, 'lapsesAt', 0);
    expect(code(await send('Another text'))).toBe('422 IDEMPOTENCY_KEY_REUSED');
    expect((await send('Hello')).body.data.id).toBe(first.body.data.id);
    expect([await reached(service, to), await me.credits()]).toEqual([[expect.anything()], 5098]);
  });

  it('that a fault of the carrier meets are never tried again', async () => {
    const me = await sender(service);
    const faults: [fault: string, expected: string, reached: number][] = [
      ['throttle', '503 SERVICE_UNAVAILABLE', 0],
      ['unavailable', '502 DELIVERY_ERROR', 0],
      ['lost-reply', '201 SUCCESS', 1],
    ];
    for (const [fault, expected, arrived] of faults) {
      const to = numberFor();
      await service.post('/_local/faults', { target: 'messages', fault });
      expect([fault, code(await me.send({ to }))]).toEqual([fault, expected]);
      expect([fault, (await reached(service, to)).length]).toEqual([fault, arrived]);
    }
    expect(await me.credits()).toBe(5098);
  });
});

it('a change of a message is an event of the account’s webhooks, without number and text', async () => {
  const receiver = await startReceiver();
  const me = await sender(service, 3);
  const body = {
    url: receiver.url,
    events: ['message.sent', 'message.delivered', 'message.undelivered', 'message.failed'],
  };
  const { secret } = (await service.call('POST', '/api/webhooks', { key: me.key, body })).body.data;
  const text = 'a text that nobody else reads';
  for (const script of ['00', '02', '03', '08']) await me.send({ to: numberFor(script), text, reference: script });
  await expect.poll(() => receiver.received.length, { timeout: 10_000 }).toBeGreaterThanOrEqual(7);
  await service.settled();
  const types = receiver
    .events()
    .map(({ type, data }: any) => `${data.reference} ${type} ${data.credits} ${data.failure}`);
  expect(types.toSorted()).toEqual([
    '00 message.delivered 2 null',
    '00 message.sent 2 null',
    '02 message.sent 2 null',
    '02 message.undelivered 2 unreachable',
    '03 message.failed 0 opted_out',
    '08 message.failed 0 number_invalid',
    '08 message.sent 2 null',
  ]);
  const verifier = new Verifier(secret);
  for (const { body: sent, headers } of receiver.received) {
    verifier.verify(sent, headers as Record<string, string>);
    expect(sent).not.toMatch(/\+1415|nobody else/);
  }
  await receiver.close();
});
