import { describe, expect, it } from 'vitest';
import { billingText, changesOf, grantText, suspendKeyText } from '../../../../dashboard/src/pages/operator/words.ts';

const lot = (remaining: number) => ({ source: 'plan' as const, granted: 0, remaining, expiresAt: '' });
const balanceOf = (...lots: number[]) => ({
  email: 'ada@example.com',
  credits: { spendable: 0, held: 0, lots: lots.map(lot) },
});

describe('a grant', () => {
  it('to an unlimited balance is announced as without effect, even below a spending cap', () => {
    expect(grantText(balanceOf(999_999_000, 20))).toMatch(
      /is unlimited, so a grant changes nothing while the plan has no limit\./,
    );
    expect(grantText(balanceOf(100, 20))).toMatch(/can spend them immediately/);
  });

  it('to an unlimited balance is listed with its credits', () => {
    const after = { credits: 1_000_002_500 };
    expect(changesOf({ before: { credits: 1_000_000_000 }, after })).toBe('Credits +2,500; the balance is unlimited');
    expect(changesOf({ before: { credits: 100 }, after: { credits: 2600 } })).toBe('Credits 100 → 2,600');
    expect(changesOf({ before: after, after })).toBe('No changes');
  });
});

describe('a key', () => {
  it.each([
    ['active', false, /only revoke it and create a new one/],
    ['suspended', false, /^The owner suspended this key and can resume it\./],
    ['suspended', true, undefined],
    ['revoked', false, undefined],
    ['expired', false, undefined],
  ])('that is %s (by an operator: %s) has the matching text for a suspension', (status, suspendedByOperator, text) => {
    const shown = suspendKeyText({ status, suspendedByOperator });
    if (text) expect(shown).toMatch(text);
    else expect(shown).toBeUndefined();
  });
});

describe('the price of a subscription', () => {
  const paidUntil = '2026-12-01T00:00:00.000Z';

  it.each([
    ['enterprise', { price: 0 }, true, 'Assigned, not billed', false],
    ['enterprise', { price: 0 }, false, 'Assigned, not billed', false],
    ['freemium', { price: 0 }, true, 'Free', true],
    ['pro_pass', { price: 299 }, true, 'Not billed', false],
    ['pro_pass', { price: 299, paidUntil }, true, '$299.00 per month', true],
    ['pro_pass', { price: 299 }, false, '$299.00 per month', true],
  ])('of %s with %o, if the deployment takes payments: %s, is %s', (plan, subscription, takes, price, isBilled) => {
    expect(billingText(plan, subscription, takes)).toEqual({ price, isBilled });
  });
});
