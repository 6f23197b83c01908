import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { numberFor, reached, sender } from '#test/messages/sender.ts';
import { code, startTestService, type TestService } from '#test/service/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const eventually = <T>(expectation: () => Promise<T>) => vi.waitFor(expectation, { timeout: 10_000, interval: 50 });

/** By the script of the number: the response, what a phone gets, how it ends, what it costs, and the rows of the ledger. */
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

/** Why, by the script of the number; null of the others. */
const failures: Readonly<Record<string, Readonly<Record<'sms' | 'voice_call', string>>>> = {
  '02': { sms: 'unreachable', voice_call: 'no_answer' },
  '03': { sms: 'opted_out', voice_call: 'opted_out' },
  '05': { sms: 'carrier', voice_call: 'carrier' },
  '06': { sms: 'price', voice_call: 'price' },
  '08': { sms: 'number_invalid', voice_call: 'carrier' },
};

describe.each(['sms', 'voice_call'] as const)('%s', (channel) => {
  it.each(endings)(
    'a number that ends in %s: %s, %i at the phone, %s for %i credits',
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
