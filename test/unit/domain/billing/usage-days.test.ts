import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dayMs, dayOf } from '#contract/shared/time.ts';
import { dayAfter, daysOfZone, partOf, partsPerDay } from '#domain/billing/statements.ts';
import { atLength } from '#test/many.ts';
import { localDay, zones } from '#test/requests/time-zones.ts';

/** The day of a time in epoch seconds, by its part of the UTC day. */
function dayByPart(zone: string, at: number): string | undefined {
  const part = partOf(at);
  return daysOfZone(zone)
    .spans(dayOf(at * 1000))
    .find(({ end }) => part < end)?.date;
}

describe('the part of a UTC day', () => {
  it('belongs to one day of every time zone, at any time from 2015 to 2044', () => {
    const second = fc.integer({ min: Date.UTC(2015) / 1000, max: Date.UTC(2045) / 1000 - 1 });
    fc.assert(
      fc.property(fc.constantFrom(...zones), second, (zone, at) => {
        expect(dayByPart(zone, at)).toBe(localDay(zone, at * 1000));
      }),
      { numRuns: atLength(3000, 200_000) },
    );
  });

  it('changes its day at the midnight of every time zone, in every month of a year', () => {
    for (const zone of zones) {
      const { spans, dayAt } = daysOfZone(zone);
      for (let month = 0; month < 12; month++) {
        const utcDay = dayOf(Date.UTC(2027, month, 1 + month * 2));
        const found = spans(utcDay);
        expect(found.at(-1)?.end).toBe(partsPerDay);
        for (let first = 0, at = 0; at < found.length; first = found[at]!.end, at++) {
          const [start, end] = [first, found[at]!.end].map(
            (part) => Date.parse(utcDay) + (Math.floor(part / 3) * 60 + [0, 15, 30][part % 3]!) * 60_000,
          );
          expect([zone, dayAt(start!), dayAt(end! - 1)]).toEqual([zone, found[at]!.date, found[at]!.date]);
        }
      }
    }
  });

  it.each([
    ['Asia/Kathmandu', '2027-01-01T18:14:59Z', '2027-01-01'],
    ['Asia/Kathmandu', '2027-01-01T18:15:00Z', '2027-01-02'],
    ['Asia/Kolkata', '2027-01-01T18:30:00Z', '2027-01-02'],
    ['Pacific/Chatham', '2027-01-01T10:14:59Z', '2027-01-01'],
    ['Pacific/Chatham', '2027-01-01T10:15:00Z', '2027-01-02'],
    ['Pacific/Kiritimati', '2027-01-01T10:00:00Z', '2027-01-02'],
    ['Pacific/Pago_Pago', '2027-01-01T10:59:59Z', '2026-12-31'],
    // Days of 23 and 25 hours.
    ['Europe/Berlin', '2027-03-28T21:59:59Z', '2027-03-28'],
    ['Europe/Berlin', '2027-03-28T22:00:00Z', '2027-03-29'],
    ['Europe/Berlin', '2027-10-31T22:59:59Z', '2027-10-31'],
    ['Europe/Berlin', '2027-10-31T23:00:00Z', '2027-11-01'],
    // Samoa skipped 30 December 2011.
    ['Pacific/Apia', '2011-12-30T09:59:59Z', '2011-12-29'],
    ['Pacific/Apia', '2011-12-30T10:00:00Z', '2011-12-31'],
  ])('of %s at %s belongs to %s', (zone, at, date) => {
    expect(dayByPart(zone, Date.parse(at) / 1000)).toBe(date);
  });
});

describe('days of a time zone', () => {
  it('are the same in any order of UTC days', () => {
    const { spans } = daysOfZone('Australia/Lord_Howe');
    const days = Array.from({ length: 400 }, (_, age) => dayOf(Date.UTC(2027, 0, 1) + age * dayMs));
    const forward = days.map(spans);
    expect(days.toReversed().map(spans).toReversed()).toEqual(forward);
    expect(dayAfter('2027-02-28')).toBe('2027-03-01');
  });
});
