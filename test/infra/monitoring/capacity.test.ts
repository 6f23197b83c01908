import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  accountCapacity,
  capacityTable,
  meterUnits,
  minSecondsFor,
  unitsTable,
  usualItemBytes,
} from '#bench/cost/capacity.ts';
import { planListing, planOfRank } from '#contract/billing/plans.ts';
import { maxItemBytes } from '#repositories/meter/meter-item.ts';

const read = (path: string) => readFileSync(path, 'utf8').replaceAll(/\s+/g, ' ');
const perSecond = Math.floor(accountCapacity(3).perSecond);
const inSentence = `about ${perSecond} calls a second of 3 s`;

/** Pages that state the throughput of one account. */
const pages = ['docs/performance.md', 'docs/guides/plans-and-limits.md'];

describe('the throughput of one account', () => {
  it.each(pages)('matches the computed figure in %s', (page) => {
    expect(read(page)).toContain(inSentence);
  });

  it('is the same everywhere in the docs', () => {
    const others = pages.flatMap((page) => [...read(page).matchAll(/about (\d+)(?: calls)? a second/g)]);
    expect(new Set(others.map(([, figure]) => Number(figure)))).toEqual(new Set([perSecond]));
  });

  it('is listed in docs/performance.md by duration of calls, and the write units by concurrent calls', () => {
    const page = readFileSync('docs/performance.md', 'utf8');
    expect(page).toContain(`${capacityTable()}\n\n`);
    expect(page).toContain(`${unitsTable()}\n\n`);
  });

  it('is listed in docs/performance.md for the largest holds and the largest item', () => {
    const [holds, item] = [{ ...maxItemBytes, atRest: usualItemBytes.atRest }, maxItemBytes].map((bytes) =>
      Math.floor(accountCapacity(3, bytes).perSecond),
    );
    expect(read('docs/performance.md')).toMatch(
      new RegExp(`Holds of the largest size, as of limited keys, make it ${holds}, and an item of the .* ${item}\\.`),
    );
  });

  it('covers all concurrent calls of every plan but Enterprise, for calls of any length', () => {
    for (const { rank, callsPerMinute, maxConcurrentCalls } of planListing.map(({ id }) => planOfRank(id))) {
      if (callsPerMinute === null) continue;
      for (let seconds = 1; seconds <= 300; seconds++) {
        const rate = Math.min(callsPerMinute / 60, maxConcurrentCalls / seconds);
        const units = rate * meterUnits({ seconds, isStream: false }, rate * seconds);
        expect({ rank, seconds, isServed: units <= 1000 }).toMatchObject({ isServed: true });
      }
    }
  });

  it('is below the 1,000 concurrent calls of Enterprise for the documented calls', () => {
    const { maxConcurrentCalls } = planOfRank(5);
    const calls = Math.floor(accountCapacity(60).concurrentCalls / 10) * 10;
    expect(calls).toBeLessThan(maxConcurrentCalls);
    const sentence = `about ${calls} concurrent calls of 60 s`;
    for (const page of ['docs/performance.md', 'docs/guides/plans-and-limits.md'])
      expect(read(page)).toContain(sentence);
    expect(read('docs/performance.md')).toContain(`only calls of ${minSecondsFor(maxConcurrentCalls)} s and more`);
  });
});
