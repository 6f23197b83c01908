import { expect, test } from 'vitest';
import { deferred, lazy } from '#runtime/process.ts';

test('what is loaded lazily is loaded once, and again after a load that failed', async () => {
  const outcomes = [
    () => Promise.reject(new Error('no file')),
    () => Promise.resolve('first'),
    () => Promise.resolve('second'),
  ];
  const load = lazy(() => outcomes.shift()!());
  await expect(load()).rejects.toThrow('no file');
  expect(await load()).toBe('first');
  expect(await load()).toBe('first');
});

test('deferred methods load their object with the first call', async () => {
  let loads = 0;
  const load = lazy(async () => {
    loads += 1;
    return { add: async (one: number, other: number) => one + other };
  });
  const { add } = deferred(load, ['add']);
  expect(loads).toBe(0);
  expect([await add(1, 2), await add(3, 4)]).toEqual([3, 7]);
  expect(loads).toBe(1);
});
