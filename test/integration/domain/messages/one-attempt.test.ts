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

describe('a function that crashes', () => {
  const dying = (method: 'create', store: MessageStore, when: 'before' | 'after'): MessageStore => ({
    ...store,
    [method]: async (...args: never[]) => {
      if (when === 'after') await Reflect.apply(store[method], store, args);
      throw dead;
    },
  });
  const crash: SendToCarrier = () => Promise.reject(dead);

  it.each<[where: string, carrier: SendToCarrier, crashOfCreate: 'before' | 'after' | undefined, expected: object]>([
    ['before the message is stored', taken, 'before', { handed: 0, messages: [], spendable: 100 }],
    ['before the carrier is called', taken, 'after', { handed: 0, messages: ['queued 0'], spendable: 100 }],
    ['while the carrier is called', crash, undefined, { handed: 1, messages: ['queued 0'], spendable: 100 }],
  ])(
    '%s stores nothing or a message with an unknown result, and charges nothing',
    async (_, carrier, when, expected) => {
      const desk = await openDesk(database);
      const messages = when ? dying('create', desk.store, when) : desk.store;
      await expect(desk.send(carrier, { messages, key: 'once' })).rejects.toBe(dead);
      desk.clock.at += 3 * minute;
      expect(await seen(desk)).toEqual(expected);
    },
  );

  it('sends once for its Idempotency-Key, and repeats return the message', async () => {
    const desk = await openDesk(database);
    await expect(desk.send(crash, { key: 'once' })).rejects.toBe(dead);
    desk.clock.at += 3 * minute;
    const repeated = await desk.send(taken, { key: 'once' });
    expect(repeated.status).toBe('unknown');
    expect(await seen(desk)).toEqual({ handed: 1, messages: ['queued 0'], spendable: 100 });
    await desk.send(taken, { key: 'another' });
    desk.clock.at += 24 * 60 * minute;
    await desk.send(taken, { key: 'once' });
    expect(desk.handed).toHaveLength(3);
  });

  it('keeps its Idempotency-Key bound to the body: another body is refused', async () => {
    const desk = await openDesk(database);
    await expect(desk.send(crash, { key: 'once' })).rejects.toBe(dead);
    desk.clock.at += 3 * minute;
    const other = desk.send(taken, { key: 'once', about: { text: 'Another text' } });
    await expect(other).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
    expect(await seen(desk)).toEqual({ handed: 1, messages: ['queued 0'], spendable: 100 });
    expect(await desk.send(taken, { key: 'once' })).toMatchObject({ status: 'unknown', text: 'Hello' });
  });
});

describe('a send attempt', () => {
  it.each(['opted_out', 'number_blocked', 'country_blocked', 'price', 'throttled', 'carrier'] as const)(
    'fails with the reason, costs nothing and releases the key if the carrier refuses it (%s)',
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

  it('has the status unknown, is charged and is not repeated if its response is lost', async () => {
    const desk = await openDesk(database);
    expect((await desk.send(lost, { key: 'once' })).status).toBe('unknown');
    await desk.send(taken, { key: 'once' });
    expect(await seen(desk)).toEqual({ handed: 1, messages: ['unknown 2'], spendable: 98 });
  });

  it('is neither repeated nor charged if its acceptance cannot be stored', async () => {
    const desk = await openDesk(database);
    const away = { ...desk.store, charge: () => Promise.reject(new Error('away')) };
    expect(await desk.send(taken, { messages: away })).toMatchObject({ status: 'unknown', credits: 0 });
    desk.clock.at += 3 * minute;
    expect(await seen(desk)).toEqual({ handed: 1, messages: ['queued 0'], spendable: 100 });
  });

  it('is charged if its acceptance was stored, even if the response of the store is lost', async () => {
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

  it('is charged for a stored acceptance, even if its function crashes before the settlement', async () => {
    const desk = await openDesk(database);
    const sent = await desk.send(taken, { isSettled: false });
    expect(sent).toMatchObject({ status: 'sent', credits: 2 });
    desk.clock.at += 3 * minute;
    expect(await seen(desk)).toEqual({ handed: 1, messages: ['sent 2'], spendable: 98 });
  });

  it('is sent free of charge if its hold has expired', async () => {
    const desk = await openDesk(database);
    const slow: SendToCarrier = async () => {
      desk.clock.at += 5 * minute;
      await desk.meter();
      return { is: 'accepted' };
    };
    expect(await desk.send(slow)).toMatchObject({ status: 'sent', credits: 0 });
    expect(await seen(desk)).toEqual({ handed: 1, messages: ['sent 0'], spendable: 100 });
  });
});
