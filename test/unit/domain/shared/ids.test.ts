import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { timedId } from '#domain/shared/credential.ts';

const random = { bytes: (count: number) => randomBytes(count) } as Parameters<typeof timedId>[2];
const lastDay = Date.UTC(8888, 0);

it('ids are in the order of the milliseconds in which they were made, and no two are alike', () => {
  const times = fc.uniqueArray(fc.integer({ min: 0, max: lastDay }), { minLength: 2, maxLength: 20 });
  fc.assert(
    fc.property(times, (all) => {
      const ids = all.toSorted((one, other) => one - other).map((now) => timedId('msg', now, random));
      expect(ids.toSorted()).toEqual(ids);
    }),
  );
  expect(timedId('agt', 0, random)).toMatch(/^agt_0{8}[0-9A-Za-z]{12}$/);
  expect(new Set(Array.from({ length: 1000 }, () => timedId('doc', lastDay, random))).size).toBe(1000);
});
