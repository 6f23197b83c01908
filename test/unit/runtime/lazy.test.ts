import { expect, test } from 'vitest';
import { lazy } from '#runtime/process.ts';

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
