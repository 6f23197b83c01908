import { describe, expect, it } from 'vitest';
import type { Alerts } from '#contract/alerts/alerts.ts';
import { planOfRank } from '#contract/billing/plans.ts';
import { openMeter, periodStart } from '#domain/meter/credits/billing.ts';
import type { Meter } from '#domain/meter/meter.ts';
import { eventsOf } from '#domain/webhooks/events.ts';
import { credits } from '#test/meter/meters.ts';

const at = Date.UTC(2027, 2, 10, 12) / 1000;
const { meter } = openMeter(7, at - 9, planOfRank);
const limit = { budget: 'b1', amount: credits(10), period: 'total' } as const;

const rules: Alerts['rules'] = [
  { kind: 'balance_below', value: 50 },
  { kind: 'month_percent', value: 60 },
  { kind: 'key_percent', value: 40 },
];

/** A call of 5 credits that takes a balance of 100 credits past a half, by a key that has used 4 of 10. */
function charged(alerts: Alerts | undefined, balanceBefore = 52) {
  const account = (balance: number, used: number, about: Partial<Meter>): Meter => ({
    ...meter,
    ...(alerts && { alerts }),
    spendable: credits(balance),
    used: { chat: credits(100 - balance) },
    keys: new Map([['key-1', { expiresAt: at + 9999, limit }]]),
    budgets: new Map([['b1', { start: 0, used: credits(used) }]]),
    ...about,
  });
  const before = account(balanceBefore, 0, {});
  const after = account(balanceBefore - 5, 5, { seq: before.seq + 1 });
  const entries = [{ type: 'charge', at, amount: -credits(5), keyId: 'key-1', requestId: 'r' }] as const;
  return eventsOf({ id: '1', before, after, entries });
}

describe('alerts', () => {
  it('are events of an account that has webhooks among their channels, one for each rule that comes true', () => {
    const events = charged({ rules, channels: ['email', 'webhook'] });
    const data = { accountId: 7, seq: meter.seq + 1, balance: 47 };
    const start = periodStart(meter.period);
    expect(events).toEqual([
      {
        type: 'alert.triggered',
        at,
        once: `${start}-balance-50`,
        data: { ...data, kind: 'balance_below', value: 50, keyId: null },
      },
      {
        type: 'alert.triggered',
        at,
        once: '0-key-b1-40',
        data: { ...data, kind: 'key_percent', value: 40, keyId: 'key-1' },
      },
    ]);
  });

  it.each([
    ['of an account that has chosen mails only', { rules, channels: ['email'] }],
    ['of an account that has chosen nothing', undefined],
    ['of an account without rules', { rules: [], channels: ['webhook'] }],
  ] satisfies [string, Alerts | undefined][])('are none %s', (_, alerts) => {
    expect(charged(alerts)).toEqual([]);
  });

  it('change nothing about the events that every account has', () => {
    const types = (alerts?: Alerts) => charged(alerts, 22).map(({ type }) => type);
    expect(types()).toEqual(['credits.low']);
    expect(types({ rules: [], channels: ['webhook'] })).toEqual(['credits.low']);
  });
});
