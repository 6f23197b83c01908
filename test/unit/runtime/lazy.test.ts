import { expect, test } from 'vitest';
import { lazy } from '#runtime/process.ts';

test('a lazy value is loaded once, and again after a failed load', async () => {
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
