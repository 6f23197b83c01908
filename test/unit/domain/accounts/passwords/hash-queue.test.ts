import { describe, expect, it } from 'vitest';
import { hashQueue } from '#domain/accounts/password-hash.ts';

/** Hashes that the test completes. */
function hashes() {
  const open: PromiseWithResolvers<string>[] = [];
  let [running, maxRunning] = [0, 0];
  const hash = async (): Promise<string> => {
    const one = Promise.withResolvers<string>();
    open.push(one);
    maxRunning = Math.max(maxRunning, ++running);
    try {
      return await one.promise;
    } finally {
      running -= 1;
    }
  };
  return { hash, open, maxRunning: () => maxRunning };
}

describe('the queue of password hashes', () => {
  it('runs 60 hashes in request order, two at a time', async () => {
    const { run } = hashQueue();
    const { hash, open, maxRunning } = hashes();
    const results: number[] = [];
    const all = Array.from({ length: 60 }, async (_, index) => {
      await run(hash);
      results.push(index);
    });
    for (let index = 0; index < 60; index++) {
      await expect.poll(() => open.length).toBeGreaterThan(index);
      open[index]!.resolve('');
    }
    await Promise.all(all);
    expect([maxRunning(), results]).toEqual([2, Array.from({ length: 60 }, (_, index) => index)]);
  });

  it('refuses a hash that waits too long with 503, and runs later ones once a place is free', async () => {
    const { run } = hashQueue(1);
    const { hash, open } = hashes();
    const first = run(hash);
    await expect(run(hash, 50)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 5 });
    expect(open).toHaveLength(1);
    open[0]!.resolve('first');
    expect(await first).toBe('first');
    const next = run(hash);
    open[1]!.resolve('next');
    expect(await next).toBe('next');
  });

  it('frees the place of a failed hash', async () => {
    const { run } = hashQueue(1);
    await expect(run(() => Promise.reject(new Error('no memory')))).rejects.toThrow('no memory');
    expect(await run(() => Promise.resolve('next'))).toBe('next');
  });
});
