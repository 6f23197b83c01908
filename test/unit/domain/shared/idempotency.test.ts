import { describe, expect, it } from 'vitest';
import { dayMs } from '#contract/shared/time.ts';
import { claimOf, idempotency, type IdempotencyStore } from '#domain/shared/idempotency.ts';

const now = Date.UTC(2027, 0, 10);
const claim = claimOf({ accountId: 1, routeId: 'chat', key: 'k', requestId: 'second', input: {} });

describe('an Idempotency-Key', () => {
  it('is stored with its response for 24 hours', async () => {
    const expiries: number[] = [];
    const store: Partial<IdempotencyStore> = {
      complete: async (_claim, _response, expiresAt) => void expiries.push(expiresAt),
    };
    const { storeResponse } = idempotency(store as IdempotencyStore, { now: () => now });
    await storeResponse(claim, { status: 200, message: 'SUCCESS', data: null });
    expect(expiries).toEqual([now + dayMs]);
  });

  it.each([
    [0, 1],
    [10, 20],
    [100, 60],
    [350, 10],
  ])('whose request has run for %i s of at most 6 minutes tells the client to retry in %i s', (seconds, wait) => {
    const lifetimeMs = 360_000;
    const record = {
      requestId: 'first',
      fingerprint: claim.fingerprint,
      running: true,
      used: undefined,
      response: undefined,
      expiresAt: now - seconds * 1000 + lifetimeMs,
    };
    const { responseFor } = idempotency({} as IdempotencyStore, { now: () => now });
    expect(() => responseFor(claim, record, lifetimeMs)).toThrow(
      expect.objectContaining({ code: 'REQUEST_IN_PROGRESS', retryAfterSeconds: wait }),
    );
  });
});
