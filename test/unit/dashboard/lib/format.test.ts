import { describe, expect, it, vi } from 'vitest';
import {
  formatDayNear,
  formatFromNow,
  formatPast,
  formatShare,
  formatTimestamps,
} from '../../../../dashboard/src/lib/format.ts';

it.each([
  [1, 1, '100%'],
  [24, 100, '24%'],
  [1, 1000, '<1%'],
  [0, 1000, '0%'],
  [0, 0, '0%'],
])('a share %d of %d is %s', (part, all, text) => {
  expect(formatShare(part, all)).toBe(text);
});

it.each([
  ['en', '$29.99'],
  ['de', '29,99 $'],
  ['es', '29,99 $'],
  ['ja', '$29.99'],
  ['ar', '29.99 USD'],
])('a price in %s is %s', async (language, text) => {
  vi.resetModules();
  vi.doMock('../../../../dashboard/src/lib/language.ts', () => ({ language }));
  const { formatMoney } = await import('../../../../dashboard/src/lib/format.ts');
  expect(
    formatMoney(29.99)
      .replaceAll(/[\u2066\u2069]/g, '')
      .replace('\u00a0', ' '),
  ).toBe(text);
});

describe('a date', () => {
  const now = Date.parse('2026-06-15T12:00:00Z');

  it('includes its year unless it is the current year', () => {
    expect(formatPast('2025-06-14T12:00:00Z', now)).toMatch(/^14 Jun 2025, \d\d:00$/);
    expect(formatPast('2026-06-14T12:00:00Z', now)).toMatch(/^14 Jun, \d\d:00$/);
  });
});

describe('an API text', () => {
  it.each([
    ['left; it resets at 2026-12-01T00:00:00.000Z.', /^left; it resets on \d+ \w+ 2026, \d\d:\d\d\.$/],
    [
      'between 2026-12-01T00:00Z and 2026-12-02T10:00:00+02:00',
      /^between \d+ \w+ 2026, \d\d:\d\d and \d+ Dec 2026, \d\d:\d\d$/,
    ],
  ])('shows its timestamps as dates: %s', (text, shown) => {
    expect(formatTimestamps(text)).toMatch(shown);
  });

  it.each(['temperature must be between 0 and 2.', 'from must be 2026-12-01', 'at 2026-99-99T99:99:99Z'])(
    'is unchanged without a valid timestamp: %s',
    (text) => {
      expect(formatTimestamps(text)).toBe(text);
    },
  );
});

it.each([
  ['2026-12-25T00:00:00.000Z', '25 Dec'],
  ['2027-01-25T23:59:59.000Z', '25 Jan 2027'],
])('a day includes its year unless it is the current one: %s', (iso, text) => {
  expect(formatDayNear(iso, Date.UTC(2026, 10, 26))).toBe(text);
});

it('a future time is “in less than a minute”, never “now”', () => {
  const now = Date.UTC(2026, 10, 26);
  expect(formatFromNow(new Date(now + 30_000).toISOString(), now)).toBe('in less than a minute');
  expect(formatFromNow(new Date(now - 30_000).toISOString(), now)).toBe('just now');
});
