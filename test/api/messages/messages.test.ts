import { Webhook as Verifier } from 'standardwebhooks';
import { describe, expect, it, vi, beforeAll } from 'vitest';
import { someOf } from '#test/many.ts';
import { numberFor, reached, sender } from '#test/messages/sender.ts';
import { code, useTestService } from '#test/service/service.ts';
import { startReceiver } from '#test/webhooks/receiver.ts';

const service = useTestService();

const eventually = <T>(expectation: () => Promise<T>) => vi.waitFor(expectation, { timeout: 10_000, interval: 50 });

describe('messages', () => {
  it('are listed newest first, by channel and status, in pages, for 30 days and to their account only', async () => {
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

  it('are sent once with an Idempotency-Key, and shown on the test phone', async () => {
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
});

it('messages send an event without number and text to the account’s webhooks at each change', async () => {
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

/**
 * By the ending of the number: the response, the number of phones reached, the final status, the charge, and the
 * ledger rows.
 */
const endings: [script: string, response: string, phone: number, status: string, credits: number, rows: number[]][] = [
  ['00', '201 SUCCESS', 1, 'delivered', 2, [-2]],
  ['02', '201 SUCCESS', 0, 'undelivered', 2, [-2]],
  ['03', '409 RECIPIENT_OPTED_OUT', 0, 'failed', 0, [0]],
  ['04', '201 SUCCESS', 1, 'unknown', 2, [-2]],
  ['05', '502 DELIVERY_ERROR', 0, 'failed', 0, [0]],
  ['06', '400 INVALID_FORMAT', 0, 'failed', 0, [0]],
  ['07', '201 SUCCESS', 1, 'delivered', 2, [-2]],
  ['08', '201 SUCCESS', 0, 'failed', 0, [2, -2]],
];

/** The reason for the failure by the ending of the number, null for all others. */
const failures: Readonly<Record<string, Readonly<Record<'sms' | 'voice_call', string>>>> = {
  '02': { sms: 'unreachable', voice_call: 'no_answer' },
  '03': { sms: 'opted_out', voice_call: 'opted_out' },
  '05': { sms: 'carrier', voice_call: 'carrier' },
  '06': { sms: 'price', voice_call: 'price' },
  '08': { sms: 'number_invalid', voice_call: 'carrier' },
};

describe.each(['sms', 'voice_call'] as const)('%s', (channel) => {
  it.each(channel === 'sms' ? endings : someOf(endings, 2, Date.now()))(
    'a number ending in %s: %s, %i at the phone, %s for %i credits',
    async (script, response, phone, status, credits, rows) => {
      const me = await sender(service);
      const before = await me.credits();
      const to = numberFor(script);
      const sent = await me.send({ channel, to });
      expect([script, code(sent)]).toEqual([script, response]);
      await eventually(async () => {
        const { items } = await me.list();
        const failure = failures[script]?.[channel] ?? null;
        expect(items).toMatchObject([{ channel, to, status, failure, credits }]);
      });
      expect(await reached(service, to)).toHaveLength(phone);
      const entries = await me.entries();
      const mine = entries.filter(({ service: charged }) => charged === channel);
      expect(mine.map(({ credits: amount }) => amount).toSorted((one, other) => other - one)).toEqual(rows);
      const refunds = mine.filter(({ type }) => type === 'refund');
      expect(refunds.map(({ reason }) => reason)).toEqual(refunds.map(() => 'failed'));
      expect(mine.map(({ model }) => model)).toEqual(rows.map(() => null));
      expect(await me.credits()).toBe(before - credits);
      const headers = sent.headers.get('x-credits-charged');
      expect(headers).toBe(sent.status === 201 ? '2' : '0');
    },
  );
});

let me: Awaited<ReturnType<typeof sender>>;
beforeAll(async () => {
  me = await sender(service);
});

/** Sends a message, and returns its id on the test phone. */
async function arrived(about: object): Promise<string> {
  const to = numberFor();
  await me.send({ channel: 'voice_call', to, ...about });
  const [message] = await reached(service, to);
  return message.id;
}

const hear = (id: string, headers: Record<string, string> = {}) =>
  fetch(`${service.origin}/_local/phone/call?id=${id}`, { headers });
const sound = async (response: Response) => Buffer.from(await response.arrayBuffer());

describe('a call on the test phone', () => {
  it('is played in the matching demo voice, any number of times', async () => {
    const text = 'Your table is ready.';
    const [matthew, joanna] = [await arrived({ text }), await arrived({ text, voice: 'joanna' })];
    const first = await hear(matthew);
    expect([first.status, first.headers.get('content-type')]).toEqual([200, 'audio/mpeg']);
    const [his, hers, again] = [await sound(first), await sound(await hear(joanna)), await sound(await hear(matthew))];
    expect([his.length > 5000, hers.length > 5000, his.equals(hers), his.equals(again)]).toEqual([
      true,
      true,
      false,
      true,
    ]);
  });

  it('is refused with the reason if it has no audio, and with 403 for pages of other sites', async () => {
    const [sms, japanese] = [await arrived({ channel: 'sms', text: 'Hi' }), await arrived({ text: 'こんにちは' })];
    const statuses = [sms, 'unknown', '', japanese].map(async (id) => {
      const response = await hear(id);
      return [response.status, ((await response.json()) as { error: string }).error];
    });
    const none = [404, 'There is no such call.'];
    const unspoken = [422, 'The speech engine cannot speak this text; read it instead.'];
    expect(await Promise.all(statuses)).toEqual([none, none, none, unspoken]);
    expect((await hear(japanese, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  });

  it('is synthesized at most two at a time', async () => {
    const id = await arrived({ text: 'One of many sentences. '.repeat(20) });
    const statuses = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const response = await hear(id);
        await response.arrayBuffer();
        return response.status;
      }),
    );
    expect([200, 503].map((status) => statuses.filter((one) => one === status).length)).toEqual([2, 4]);
    expect((await hear(id)).status).toBe(200);
  });
});
