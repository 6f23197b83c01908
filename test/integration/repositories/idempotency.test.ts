import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Claim, type IdempotencyStore, type RecordedResponse } from '#domain/shared/idempotency.ts';
import { idempotencyStore } from '#repositories/idempotency.ts';
import { useTestDatabase } from '#test/database/database.ts';

const database = useTestDatabase();
let store: IdempotencyStore;
let first: Claim;
let second: Claim;
beforeAll(async () => {
  store = idempotencyStore(database.client, 'idempotency');
});
beforeEach(() => {
  first = { id: randomUUID(), requestId: 'first', fingerprint: 'f' };
  second = { ...first, requestId: 'second' };
});

const start = Date.UTC(2027, 2, 1);
const later = start + 1000;
const response: RecordedResponse = { status: 200, message: 'SUCCESS', data: { z: 1.5e-9, a: [null, '', { '': 0.1 }] } };
const running = {
  requestId: 'first',
  fingerprint: 'f',
  running: true,
  expiresAt: later,
  used: undefined,
  response: undefined,
};

describe('the records of Idempotency-Keys', () => {
  it.each<RecordedResponse>([
    response,
    { status: 201, message: 'SUCCESS', data: null },
    { code: 'INVALID_STATE', detail: 'Not now.' },
  ])('return the stored response with its fields in order: %j', async (kept) => {
    await store.claim(first, start, later);
    await store.complete(first, kept, later);
    const met = await store.claim(second, start, later);
    expect(JSON.stringify(met?.response)).toBe(JSON.stringify(kept));
  });

  it('expire at their time, even if they are still stored', async () => {
    expect(await store.claim(first, start, later)).toBeUndefined();
    expect(await store.claim(second, later - 1, later)).toEqual(running);
    expect(await store.claim(second, later, later + 1000)).toBeUndefined();
    await store.complete(second, response, later + 500);
    expect(await store.claim(first, later + 499, later + 1000)).toMatchObject({ requestId: 'second', response });
    expect(await store.claim(first, later + 500, later + 1000)).toBeUndefined();
  });

  it('accept a repeated claim by the same request until its response is stored', async () => {
    await store.claim(first, start, later);
    expect(await store.claim(first, start, later)).toBeUndefined();
    await store.complete(first, response, later);
    expect(await store.claim(first, start, later)).toMatchObject({ running: false, response });
  });

  it('accept a repeated response, unless another request has claimed the key after its expiry', async () => {
    await store.claim(first, start, later);
    await store.complete(first, response, later);
    await store.complete(first, response, later);
    expect(await store.claim(second, start, later)).toMatchObject({ response });
    await store.claim(second, later, later + 1000);
    await store.complete(first, response, later + 1000);
    expect(await store.claim(first, later, later + 1000)).toEqual({
      ...running,
      requestId: 'second',
      expiresAt: later + 1000,
    });
  });

  it('are released only by the request that claimed them, and not once a response is stored', async () => {
    await store.claim(first, start, later);
    await store.release(second);
    expect(await store.claim(second, start, later)).toEqual(running);
    await store.release(first);
    await store.release(first);
    expect(await store.claim(second, start, later)).toBeUndefined();
    await store.complete(second, undefined, later);
    await store.release(second);
    expect(await store.claim(first, start, later)).toMatchObject({ running: false, response: undefined });
  });

  it.each([
    { service: 'chat', model: 'svc-1' },
    { service: 'sms', model: '' },
  ] as const)('store the service and model of the response: %j', async (used) => {
    await store.claim(first, start, later);
    await store.complete(first, response, later, used);
    expect(await store.claim(second, start, later)).toMatchObject({ response, used });
  });

  it('are readable if an earlier release stored no service or model', async () => {
    await store.claim(first, start, later);
    await store.complete(first, response, later);
    expect(await store.claim(second, start, later)).toMatchObject({ response, used: undefined });
  });

  it('count up to a maximum, even concurrently', async () => {
    const id = randomUUID();
    const counted = await Promise.all(Array.from({ length: 20 }, () => store.count(id, 7, later)));
    expect(counted.filter(Boolean)).toHaveLength(7);
    expect([await store.count(id, 7, later), await store.count(id, 8, later)]).toEqual([false, true]);
  });
});
