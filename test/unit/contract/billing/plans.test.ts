import { describe, expect, it } from 'vitest';
import { findPlan, monthlyGrant, type PlanTable, planListing, plansOf } from '#contract/billing/plans.ts';
import { prices } from '#contract/billing/prices.ts';
import { planOverview } from '#contract/offer/default-offer.ts';

describe('the specification tables', () => {
  it('match the plan listing, value by value', () => {
    const rows = planListing.map(({ name, quota_limit, rate_limit, price }) => [name, quota_limit, rate_limit, price]);
    expect(rows).toEqual([
      ['freemium', 100, 10, 0],
      ['dev_pass', 5000, 100, 29.99],
      ['smm_pass', 25_000, 500, 99.99],
      ['pro_pass', 100_000, 2000, 299.99],
      ['enterprise', null, null, null],
    ]);
  });

  it('match the plan overview, value by value, with null for absent values', () => {
    const rows = planOverview.map((row) => [row.name, row.price, row.callsPerMonth, row.callsPerMinute]);
    expect(rows).toEqual([
      ['freemium', 0, 10, 5],
      ['dev_pass', 19, 1000, 20],
      ['smm_pass', 129, 10_000, null],
      ['pro_pass', 399, 100_000, 500],
      ['enterprise', null, null, null],
    ]);
  });

  it('match the prices, each in credits per unit', () => {
    const stated = ['translation', 'text_analysis', 'audio', 'chat', 'voice_call', 'sms'] as const;
    expect(stated.map((service) => [service, prices[service].unitSize, prices[service].credits])).toEqual([
      ['translation', 100, 10],
      ['text_analysis', 1, 5],
      ['audio', 1000, 50],
      ['chat', 1, 1],
      ['voice_call', 1, 2],
      ['sms', 1, 2],
    ]);
  });
});

describe('the enforced limits', () => {
  const limits = (table: PlanTable) =>
    [1, 2, 3, 4, 5].map((rank) => {
      const plan = plansOf(table)(rank);
      return [plan.name, monthlyGrant(plan), plan.callsPerMonth, plan.callsPerMinute, plan.maxConcurrentCalls];
    });

  it('are the credits per month and calls per minute of the listing', () => {
    expect(limits('listing')).toEqual([
      ['freemium', 100, null, 10, 5],
      ['dev_pass', 5000, null, 100, 20],
      ['smm_pass', 25_000, null, 500, 50],
      ['pro_pass', 100_000, null, 2000, 100],
      ['enterprise', 1_000_000_000, null, null, 1000],
    ]);
  });

  it('are the calls per month and per minute of the overview, or of the listing where the overview has none', () => {
    expect(limits('overview')).toEqual([
      ['freemium', 100, 10, 5, 5],
      ['dev_pass', 5000, 1000, 20, 20],
      ['smm_pass', 25_000, 10_000, 500, 50],
      ['pro_pass', 100_000, 100_000, 500, 100],
      ['enterprise', 1_000_000_000, null, null, 1000],
    ]);
  });

  it('belong to plans that are found by name or id, and by nothing else', () => {
    for (const { id, name } of planListing) {
      expect([findPlan(name)?.rank, findPlan(String(id))?.rank]).toEqual([id, id]);
    }
    for (const other of ['', '0', '6', '01', ' 1', 'Freemium', 'constructor']) expect(findPlan(other)).toBeUndefined();
  });
});
