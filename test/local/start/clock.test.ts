import { join } from 'node:path';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { addDuration, ClockOrder, openClock, parseDuration } from '#local/shared/clock.ts';
import { testFolder } from '#test/folder.ts';

const file = async (): Promise<string> => join(await testFolder(), 'clock.json');
const order = (value: unknown): ClockOrder => v.parse(ClockOrder, value);
const later = (from: string, duration: string): string =>
  new Date(addDuration(Date.parse(from), parseDuration(duration)!)).toISOString();

describe('a duration', () => {
  test.each([
    ['2027-01-31T10:00:00Z', 'P1M', '2027-02-28T10:00:00.000Z'],
    ['2028-01-31T10:00:00Z', 'P1M', '2028-02-29T10:00:00.000Z'],
    ['2028-02-29T00:00:00Z', 'P1Y', '2029-02-28T00:00:00.000Z'],
    ['2027-12-31T23:59:59.999Z', 'P2M', '2028-02-29T23:59:59.999Z'],
    ['2027-03-31T00:00:00Z', 'P1M1D', '2027-05-01T00:00:00.000Z'],
    ['2027-01-31T00:00:00Z', 'P13M', '2028-02-29T00:00:00.000Z'],
    ['2027-01-01T00:00:00Z', 'P1Y2M1W3DT4H5M6S', '2028-03-11T04:05:06.000Z'],
    ['2027-01-01T00:00:00Z', 'PT90M', '2027-01-01T01:30:00.000Z'],
    ['2027-01-01T00:00:00Z', 'P0D', '2027-01-01T00:00:00.000Z'],
  ])('from %s: %s ends at %s by the UTC calendar', (from, duration, to) => {
    expect(later(from, duration)).toBe(to);
  });

  const invalid = [
    '',
    'P',
    'PT',
    'P1DT',
    '1M',
    'P1.5D',
    'P1,5D',
    'PT0.1S',
    '-P1D',
    'P-1D',
    'p1m',
    'P1M ',
    'P1D2M',
    'P1S',
  ];
  test.each(invalid)('is rejected if it is %j', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });
});

describe('the shifted clock', () => {
  test('continues from its new time, even after a restart', async () => {
    const kept = await file();
    let machine = Date.UTC(2027, 0, 31);
    const clock = await openClock(kept, () => machine);
    expect(clock.now()).toBe(machine);
    await clock.move(order({ advance: 'P1M' }));
    machine += 1000;
    expect(new Date(clock.now()).toISOString()).toBe('2027-02-28T00:00:01.000Z');
    expect((await openClock(kept, () => machine)).now()).toBe(clock.now());
  });

  test('can be set to a time, but never backwards', async () => {
    const clock = await openClock(await file(), () => Date.UTC(2027, 0, 31));
    await clock.move(order({ now: '2027-03-01T00:00:00+01:00' }));
    expect(new Date(clock.now()).toISOString()).toBe('2027-02-28T23:00:00.000Z');
    await expect(clock.move(order({ now: '2027-02-28T22:59:59Z' }))).rejects.toThrow(/only goes forward/);
    await expect(clock.move(order({ advance: 'P9000Y' }))).rejects.toThrow(/9999/);
    await expect(clock.move(order({ advance: `P${'9'.repeat(400)}D` }))).rejects.toThrow(/9999/);
    expect(new Date(clock.now()).toISOString()).toBe('2027-02-28T23:00:00.000Z');
  });

  test('adds up concurrent advances', async () => {
    const clock = await openClock(await file(), () => Date.UTC(2027, 0, 1));
    await Promise.all([1, 2, 3, 4].map(() => clock.move(order({ advance: 'P1D' }))));
    expect(new Date(clock.now()).toISOString()).toBe('2027-01-05T00:00:00.000Z');
  });

  const both = { advance: 'P1D', now: '2027-01-01T00:00:00Z' };
  const invalid = [{}, { advance: 'P1.5D' }, { advance: 5 }, { now: 'tomorrow' }, { now: '2027-01-01' }, both, null];
  test.each(invalid)('rejects %j', (value) => {
    expect(v.safeParse(ClockOrder, value).success).toBe(false);
  });
});
