import { describe, expect, it } from 'vitest';
import { formatPast, formatShare } from '../../../../dashboard/src/lib/format.ts';

describe('a share', () => {
  it.each([
    [1, 1, '100%'],
    [24, 100, '24%'],
    [1, 1000, '<1%'],
    [0, 1000, '0%'],
    [0, 0, '0%'],
  ])('%d of %d is %s', (part, all, text) => {
    expect(formatShare(part, all)).toBe(text);
  });
});

describe('a moment', () => {
  const now = Date.parse('2026-06-15T12:00:00Z');

  it('has its year where that is not the current one', () => {
    expect(formatPast('2025-06-14T12:00:00Z', now)).toMatch(/^14 Jun 2025, \d\d:00$/);
    expect(formatPast('2026-06-14T12:00:00Z', now)).toMatch(/^14 Jun, \d\d:00$/);
  });
});
