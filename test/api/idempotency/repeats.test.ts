import { describe, expect, it } from 'vitest';
import { isReplay, meterOf, operations, path, requestId, useIdempotentCalls } from '#test/requests/idempotent-calls.ts';
import { type ApiResponse, chat, code } from '#test/service/service.ts';

const running = useIdempotentCalls();
const { send, customer, advance, spent } = running;

describe('a request with an Idempotency-Key', () => {
  it('gets its response again as it was, is charged once, and is marked as replayed', async () => {
    const person = await customer();
    const first = await send(person.key, 'order-1');
    const second = await send(person.key, 'order-1');
    expect([code(first), isReplay(first)]).toEqual(['200 SUCCESS', false]);
    expect(second.body).toEqual(first.body);
    expect(Object.fromEntries(second.headers)).toMatchObject({
      'idempotent-replayed': 'true',
      'x-original-request-id': requestId(first),
      'x-credits-charged': '0',
    });
    expect(requestId(second)).not.toBe(requestId(first));
    expect(await spent(person)).toEqual([1, 1]);
  });

  it('is the same request with its fields in another order, defaults spelled out and unknown fields', async () => {
    const person = await customer();
    const functions = [{ name: 'f', parameters: { type: 'object', properties: { a: {}, b: {} } } }];
    const turned = [{ parameters: { properties: { b: {}, a: {} }, type: 'object' }, name: 'f' }];
    const first = await send(person.key, 'k', { ...chat(), functions });
    const second = await send(person.key, 'k', { functions: turned, temperature: 1, unknown: true, ...chat() });
    expect([code(first), isReplay(second)]).toEqual(['200 SUCCESS', true]);
    const swapped = [{ ...functions[0], parameters: { type: 'object', properties: { a: {}, c: {} } } }];
    expect(code(await send(person.key, 'k', { ...chat(), functions: swapped }))).toBe('422 IDEMPOTENCY_KEY_REUSED');
  });

  it('is refused with 422 when the key was used for another body, and is neither run nor counted', async () => {
    const person = await customer();
    await send(person.key, 'k');
    const before = await meterOf(person);
    const other = await send(person.key, 'k', chat('Something else'));
    expect(code(other)).toBe('422 IDEMPOTENCY_KEY_REUSED');
    expect(other.body.detail).toMatch(/Idempotency-Key/);
    expect([running.model.state.runs, await meterOf(person)]).toEqual([1, before]);
  });

  it('is refused with 409 while the first one runs', async () => {
    const person = await customer();
    running.model.state.delayMs = 30_000;
    const first = send(person.key, 'k');
    await expect.poll(() => running.model.state.runs).toBe(1);
    const second = await send(person.key, 'k');
    expect([code(second), second.headers.get('retry-after')]).toEqual(['409 REQUEST_IN_PROGRESS', '1']);
    expect(second.headers.get('retry-after-ms')).toBe('1000');
    expect(code(await send(person.key, 'k', chat('Other')))).toBe('422 IDEMPOTENCY_KEY_REUSED');
    running.model.state.delayMs = 0;
    const { body } = await first;
    expect((await send(person.key, 'k')).body).toEqual(body);
    expect(await spent(person)).toEqual([1, 1]);
  });

  it.each([
    [10, 20],
    [25, 50],
    [100, 60],
    [350, 10],
  ])('that has run for %i s delays its repeat by about %i s', async (seconds, wait) => {
    const person = await customer();
    running.model.state.delayMs = 30_000;
    const began = Date.now();
    const first = send(person.key, 'k');
    await expect.poll(() => running.model.state.runs).toBe(1);
    await advance(`PT${seconds}S`);
    const { headers, body } = await send(person.key, 'k');
    const tolerance = 3 + (2 * (Date.now() - began)) / 1000;
    running.model.state.delayMs = 0;
    const retryAfter = Number(headers.get('retry-after'));
    const milliseconds = Number(headers.get('retry-after-ms'));
    expect(body.message).toBe('REQUEST_IN_PROGRESS');
    expect(Math.abs(retryAfter - wait)).toBeLessThan(tolerance);
    expect(retryAfter).toBe(Math.ceil(milliseconds / 1000));
    expect(milliseconds).toBeLessThanOrEqual(60_000);
    await first;
  });

  it('runs once of 20 sent at the same time', { repeats: 4 }, async () => {
    const person = await running.service.person({ planRank: 4, credits: 10 });
    running.model.state.delayMs = 20;
    const responses = await Promise.all(Array.from({ length: 20 }, () => send(person.key, 'k')));
    const firsts = responses.filter((response) => response.status === 200 && !isReplay(response));
    expect(firsts).toHaveLength(1);
    for (const response of responses) {
      if (response.status === 200) expect(response.body).toEqual(firsts[0]?.body);
      else expect(code(response)).toBe('409 REQUEST_IN_PROGRESS');
    }
    expect(await spent(person)).toEqual([1, 1]);
  });

  it('is independent of the same key of another account, and shared by all keys of one', async () => {
    const [person, stranger] = [await customer(), await customer()];
    const first = await send(person.key, 'shared');
    const theirs = await send(stranger.key, 'shared', chat('Mine'));
    expect([code(theirs), isReplay(theirs)]).toEqual(['200 SUCCESS', false]);
    const made = await running.service.call('POST', '/api/keys', { cookie: person.cookie, body: { name: 'another' } });
    const again = await send(made.body.data.key, 'shared');
    expect([isReplay(again), again.body]).toEqual([true, first.body]);
    expect([await spent(person), await spent(stranger)]).toEqual([
      [2, 1],
      [2, 1],
    ]);
  });

  it('gets its response again although the minute is used up', async () => {
    const person = await running.service.person({ credits: 10 });
    const responses = [];
    for (let call = 0; call < 10; call++) responses.push(await send(person.key, `k${call}`));
    expect(code(await send(person.key, 'k10'))).toBe('429 RATE_LIMIT_EXCEEDED');
    expect((await send(person.key, 'k3')).body).toEqual(responses[3]?.body);
    expect(running.model.state.runs).toBe(10);
  });

  it('gets its response again although the credits are used up', async () => {
    const person = await running.service.person({ planRank: 2, credits: 1 });
    const first = await send(person.key, 'k');
    expect(code(await send(person.key, 'another'))).toBe('402 INSUFFICIENT_CREDITS');
    expect((await send(person.key, 'k')).body).toEqual(first.body);
  });

  it('is forgotten after 24 hours of the clock, and not before', async () => {
    const person = await customer();
    await send(person.key, 'daily');
    await advance('PT23H59M');
    expect(isReplay(await send(person.key, 'daily'))).toBe(true);
    await advance('PT2M');
    const later = await send(person.key, 'daily', chat('Another body'));
    expect([code(later), isReplay(later)]).toEqual(['200 SUCCESS', false]);
    expect(running.model.state.runs).toBe(2);
  });
});

describe('DynamoDB', () => {
  /** Operations on items that a request causes, the projection of the ledger included. */
  async function operationsOf(act: () => Promise<ApiResponse>): Promise<Record<string, number>> {
    await running.service.settled();
    operations.length = 0;
    await act();
    await running.service.settled();
    const items = operations.filter((operation) => operation.endsWith('Item')).toSorted();
    return Object.fromEntries(
      Map.groupBy(items, (name) => name)
        .entries()
        .map(([name, all]) => [name, all.length]),
    );
  }

  it('is called for one read and one write before and one write after, for one read and one write of a repeat', async () => {
    const person = await customer();
    const plain = await operationsOf(() => running.service.call('POST', path, { key: person.key, body: chat() }));
    const first = await operationsOf(() => send(person.key, 'k'));
    expect(first).toEqual({ ...plain, GetItem: 1, PutItem: (plain['PutItem'] ?? 0) + 2 });
    const record = 1; // Of the request, written by its job.
    expect(await operationsOf(() => send(person.key, 'k'))).toEqual({ PutItem: 1 + record, GetItem: 1 });
  });

  it('is called for nothing more by a request without the header', async () => {
    const person = await customer();
    await running.service.settled();
    operations.length = 0;
    await running.service.call('POST', path, { key: person.key, body: chat() });
    const items = operations.filter((operation) => operation.endsWith('Item'));
    expect(items.slice(0, 2)).toEqual(['UpdateItem', 'UpdateItem']);
  });
});
