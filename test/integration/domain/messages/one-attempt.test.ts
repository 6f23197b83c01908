import { describe, expect, it } from 'vitest';
import type { SendToCarrier, MessageStore, RefusalReason } from '#domain/messages/message.ts';
import { useTestDatabase } from '#test/database/database.ts';
import { dead, lost, openDesk, taken } from '#test/messages/desk.ts';

const database = useTestDatabase();

const minute = 60_000;
const seen = async (desk: Awaited<ReturnType<typeof openDesk>>) => ({
  handed: desk.handed.length,
  messages: (await desk.messages()).map(({ status, credits }) => `${status} ${credits}`),
  spendable: await desk.spendable(),
});

describe('a function that dies', () => {
  const dying = (method: 'create' | 'charge', store: MessageStore, when: 'before' | 'after'): MessageStore => ({
    ...store,
    [method]: async (...args: never[]) => {
      if (when === 'after') await Reflect.apply(store[method], store, args);
      throw dead;
    },
  });
  const deaths: [
    where: string,
    carrier: SendToCarrier,
    method: 'create' | undefined,
    when: 'before' | 'after',
    expected: object,
  ][] = [
    ['before the message is written', taken, 'create', 'before', { handed: 0, messages: [], spendable: 100 }],
    ['before the carrier is called', taken, 'create', 'after', { handed: 0, messages: ['queued 0'], spendable: 100 }],
    [
      'while the carrier is called',
      () => Promise.reject(dead),
      undefined,
      'before',
      { handed: 1, messages: ['queued 0'], spendable: 100 },
    ],
  ];

  it.each(deaths)(
    '%s leaves nothing, or a message that is unknown, and costs nothing',
    async (_, carrier, method, when, expected) => {
      const desk = await openDesk(database);
      const messages = method ? dying(method, desk.store, when) : desk.store;
      await expect(desk.send(carrier, { messages, key: 'once' })).rejects.toBe(dead);
      desk.clock.at += 3 * minute;
      expect(await seen(desk)).toEqual(expected);
    },
  );

  it('sends once with its Idempotency-Key, which shows the message when it is repeated, a day long', async () => {
    const desk = await openDesk(database);
    await expect(desk.send(() => Promise.reject(dead), { key: 'once' })).rejects.toBe(dead);
    desk.clock.at += 3 * minute;
    const repeated = await desk.send(taken, { key: 'once' });
    expect(repeated.status).toBe('unknown');
    expect(await seen(desk)).toEqual({ handed: 1, messages: ['queued 0'], spendable: 100 });
    await desk.send(taken, { key: 'another' });
    desk.clock.at += 24 * 60 * minute;
    await desk.send(taken, { key: 'once' });
    expect(desk.handed).toHaveLength(3);
  });

  it('leaves its Idempotency-Key to what was sent with it: another body is refused, and the first finds its message', async () => {
    const desk = await openDesk(database);
    await expect(desk.send(() => Promise.reject(dead), { key: 'once' })).rejects.toBe(dead);
    desk.clock.at += 3 * minute;
    const other = desk.send(taken, { key: 'once', about: { text: 'Another text' } });
    await expect(other).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
    expect(await seen(desk)).toEqual({ handed: 1, messages: ['queued 0'], spendable: 100 });
    expect(await desk.send(taken, { key: 'once' })).toMatchObject({ status: 'unknown', text: 'Hello' });
  });
});

describe('one attempt', () => {
  it.each(['opted_out', 'number_blocked', 'country_blocked', 'price', 'throttled', 'carrier'] as const)(
    'that is refused (%s) is over, keeps why, costs nothing and frees the key',
    async (why: RefusalReason) => {
      const desk = await openDesk(database);
      await expect(desk.send(() => Promise.resolve({ is: 'refused', why }), { key: 'again' })).rejects.toThrow(
        /nothing was charged/i,
      );
      expect(await seen(desk)).toEqual({ handed: 1, messages: ['failed 0'], spendable: 100 });
      expect(await desk.messages()).toMatchObject([{ failure: why }]);
      await desk.send(taken, { key: 'again' });
      expect(await seen(desk)).toEqual({
        handed: 2,
        messages: expect.arrayContaining(['sent 2', 'failed 0']),
        spendable: 98,
      });
    },
  );

  it('whose reply is lost is unknown, charged, and not made again', async () => {
    const desk = await openDesk(database);
    expect((await desk.send(lost, { key: 'once' })).status).toBe('unknown');
    await desk.send(taken, { key: 'once' });
    expect(await seen(desk)).toEqual({ handed: 1, messages: ['unknown 2'], spendable: 98 });
  });

  it('that was taken is neither repeated nor charged where the store is away', async () => {
    const desk = await openDesk(database);
    const away = { ...desk.store, charge: () => Promise.reject(new Error('away')) };
    expect(await desk.send(taken, { messages: away })).toMatchObject({ status: 'unknown', credits: 0 });
    desk.clock.at += 3 * minute;
    expect(await seen(desk)).toEqual({ handed: 1, messages: ['queued 0'], spendable: 100 });
  });

  it('that was taken is charged where the store has noted it and its reply was lost', async () => {
    const desk = await openDesk(database);
    const charge: MessageStore['charge'] = async (...args) => {
      await desk.store.charge(...args);
      throw new Error('the reply was lost');
    };
    expect(await desk.send(taken, { messages: { ...desk.store, charge } })).toMatchObject({
      status: 'sent',
      credits: 2,
    });
    expect(await seen(desk)).toEqual({ handed: 1, messages: ['sent 2'], spendable: 98 });
  });

  it('that was taken and noted is charged though its function dies before the settlement', async () => {
    const desk = await openDesk(database);
    const sent = await desk.send(taken, { isSettled: false });
    expect(sent).toMatchObject({ status: 'sent', credits: 2 });
    desk.clock.at += 3 * minute;
    expect(await seen(desk)).toEqual({ handed: 1, messages: ['sent 2'], spendable: 98 });
  });

  it('whose hold is gone is sent and costs nothing', async () => {
    const desk = await openDesk(database);
    const slow: SendToCarrier = async () => {
      desk.clock.at += 5 * minute;
      await desk.meter();
      return { is: 'taken' };
    };
    expect(await desk.send(slow)).toMatchObject({ status: 'sent', credits: 0 });
    expect(await seen(desk)).toEqual({ handed: 1, messages: ['sent 0'], spendable: 100 });
  });
});
