import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { planOfRank } from '#contract/billing/plans.ts';
import { AccountDetails } from '#contract/operators/operators.ts';
import { unlimited } from '#domain/meter/rate-window.ts';
import { accountDetails } from '#domain/operators/operated-account.ts';
import { credits, meterWith, start } from '#test/meter/meters.ts';

const account = {
  id: 7,
  email: 'a@example.com',
  name: 'Ada',
  role: 'viewer',
  createdAt: start,
  passwordHash: '$scrypt$secret',
  identities: ['https://accounts.google.com#1234'],
} as const;

const hold = (deadline: number) =>
  ({ amount: credits(1), deadline, service: 'chat', model: 'svc-1', keyId: '' }) as const;

describe('the operator view of an account', () => {
  it('matches the schema, without hash or identity', () => {
    const details = { ...accountDetails(account, meterWith(credits(10)), planOfRank, start), organizations: [] };
    expect(v.parse(AccountDetails, details)).toEqual(details);
    expect(details.signIn).toEqual({ password: true, google: true });
    expect(JSON.stringify(details)).not.toMatch(/scrypt|1234/);
  });

  it('has the 50 holds that end soonest', () => {
    const holds = new Map(Array.from({ length: 1000 }, (_, index) => [`r${index}`, hold(start / 1000 + 1000 - index)]));
    const {
      holds: shown,
      calls,
      credits: amounts,
    } = accountDetails(account, meterWith(0, { holds }), planOfRank, start);
    expect(shown.map(({ requestId }) => requestId)).toEqual(
      Array.from({ length: 50 }, (_, index) => `r${999 - index}`),
    );
    expect([calls.running, amounts.held]).toEqual([1000, 1000]);
  });

  it('has null for an unlimited plan', () => {
    const about = { ceiling: unlimited, callsPerMonth: unlimited };
    const { calls } = accountDetails(account, meterWith(0, about), planOfRank, start);
    expect([calls.perMinute, calls.perMonth]).toEqual([null, null]);
  });
});
