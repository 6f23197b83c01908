import { describe, expect, it } from 'vitest';
import { planOfRank } from '#contract/billing/plans.ts';
import { isoOfSeconds } from '#contract/shared/time.ts';
import { balanceView, creditsView, quotaView } from '#domain/billing/balance.ts';
import { credits, meterWith } from '#test/meter/meters.ts';

const terms = { ...planOfRank(2), creditsPerMonth: null };
const unlimited = meterWith(0, { lots: [], terms, used: { translation: 1 } });

describe('the quota of a plan', () => {
  it('is -1 without a monthly limit, as is the remainder', () => {
    expect(balanceView(unlimited).quota.translation).toBe(-1);
    expect(quotaView(unlimited, 'translation')).toMatchObject({ quota: -1, used: 1, remaining: -1 });
  });

  it('never has a negative remainder', () => {
    const limited = meterWith(0, { terms: { ...terms, creditsPerMonth: 5 }, used: { translation: credits(6) } });
    expect(quotaView(limited, 'translation')).toMatchObject({ quota: 5, used: 6, remaining: 0 });
  });
});

describe('the balance of an account without credits', () => {
  it('names the plan of a subscription, and otherwise the free plan, until the end of the month', () => {
    const subscription = { id: 'sub-1', planId: 'dev_pass', status: 'active' } as const;
    expect([balanceView(unlimited), balanceView({ ...unlimited, subscription })]).toMatchObject([
      { source: 'free', expiresAt: isoOfSeconds(Date.UTC(2027, 3, 1) / 1000) },
      { source: 'plan', expiresAt: isoOfSeconds(Date.UTC(2027, 3, 1) / 1000) },
    ]);
  });

  it('adds up speech and transcription as audio, in whole credits per service', () => {
    const used = { audio: credits(2), transcription: credits(1) + 1 };
    expect(balanceView({ ...unlimited, used }).used).toEqual({ translation: 0, audio: 4, voice_call: 0, sms: 0 });
  });
});

describe('the credits of an account', () => {
  it('are whole: what can be spent is rounded down, and what calls hold is rounded up', () => {
    const hold = { amount: credits(2) - 1, deadline: 0, service: 'chat', model: 'svc-1', keyId: 'key-1' } as const;
    const meter = meterWith(credits(5) - 1, { holds: new Map([['call', hold]]) });
    const lots = [{ ...meter.lots[0]!, granted: credits(7), remaining: credits(7) - 2 }];
    expect(creditsView({ ...meter, lots })).toEqual({
      balance: 4,
      held: 2,
      lots: [{ source: 'plan', granted: 7, remaining: 6, expiresAt: isoOfSeconds(lots[0]!.expiresAt) }],
    });
  });
});
