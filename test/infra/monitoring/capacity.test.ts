import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { planListing, planOfRank } from '#contract/billing/plans.ts';
import {
  accountCapacity,
  capacityTable,
  meterUnits,
  minSecondsFor,
  unitsTable,
  usualItemBytes,
} from '#lib/cost/capacity.ts';
import { maxItemBytes } from '#repositories/meter/meter-item.ts';

const read = (path: string) => readFileSync(path, 'utf8').replaceAll(/\s+/g, ' ');
const perSecond = (isStream: boolean) => Math.floor(accountCapacity({ seconds: 3, isStream }).perSecond);
const [whole, streamed] = [perSecond(false), perSecond(true)];
const inSentence = `about ${whole} calls a second of 3 s (${streamed} as streams)`;

/** Pages that state the throughput of one account. */
const pages = ['docs/performance.md', 'docs/guides/plans-and-limits.md'];

describe('the throughput of one account', () => {
  it.each(pages)('matches the computed figure in %s', (page) => {
    expect(read(page)).toContain(inSentence);
  });

  it('is the same everywhere in the docs', () => {
    const others = pages.flatMap((page) => [...read(page).matchAll(/about (\d+)(?: calls)? a second/g)]);
    expect(new Set(others.map(([, figure]) => Number(figure)))).toEqual(new Set([whole]));
  });

  it('is listed in docs/performance.md by duration of calls, and the write units by concurrent calls', () => {
    const page = readFileSync('docs/performance.md', 'utf8');
    expect(page).toContain(`${capacityTable()}\n\n`);
    expect(page).toContain(`${unitsTable()}\n\n`);
  });

  it('is listed in docs/performance.md for the largest holds and the largest item', () => {
    const call = { seconds: 3, isStream: false };
    const [holds, item] = [{ ...maxItemBytes, atRest: usualItemBytes.atRest }, maxItemBytes].map((bytes) =>
      Math.floor(accountCapacity(call, bytes).perSecond),
    );
    expect(read('docs/performance.md')).toMatch(
      new RegExp(`Holds of the largest size, as of limited keys, make it ${holds}, and an item of the .* ${item}\\.`),
    );
  });

  it('covers all concurrent calls of every plan but Enterprise, for calls of any length', () => {
    for (const { rank, callsPerMinute, maxConcurrentCalls } of planListing.map(({ id }) => planOfRank(id))) {
      if (callsPerMinute === null) continue;
      for (const isStream of [false, true])
        for (let seconds = 1; seconds <= 300; seconds++) {
          const call = { seconds, isStream };
          const rate = Math.min(callsPerMinute / 60, maxConcurrentCalls / seconds);
          expect({ rank, call, units: rate * meterUnits(call, rate * seconds) <= 1000 }).toMatchObject({ units: true });
        }
    }
  });

  it('is below the 1,000 concurrent calls of Enterprise for the documented streams and whole responses', () => {
    const { maxConcurrentCalls } = planOfRank(5);
    const [streams, responses] = [
      accountCapacity({ seconds: 300, isStream: true }),
      accountCapacity({ seconds: 60, isStream: false }),
    ].map(({ concurrentCalls }) => Math.floor(concurrentCalls / 10) * 10);
    expect(Math.max(streams!, responses!)).toBeLessThan(maxConcurrentCalls);
    const sentence = `about ${streams} concurrent streams, or ${responses} whole responses of 60 s`;
    for (const page of ['docs/performance.md', 'docs/guides/plans-and-limits.md'])
      expect(read(page)).toContain(sentence);
    expect(read('docs/performance.md')).toContain(`only calls of ${minSecondsFor(maxConcurrentCalls)} s and more`);
  });
});
