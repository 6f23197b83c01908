import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alertsOf, type ChargedAccount, nameOfAlert } from '#domain/alerts/alerts.ts';
import { credits } from '#test/meter/meters.ts';

/** An account that had 100 credits, after a charge. */
const charged = (used: number, amount: number): ChargedAccount => ({
  accountId: 1,
  period: 0,
  balance: credits(100 - used),
  used: { chat: credits(used) },
  entries: [{ type: 'charge', at: 5, amount: -credits(amount), keyId: 'key-1' }],
  alerts: {
    rules: [
      { kind: 'balance_below', value: 40 },
      { kind: 'month_percent', value: 50 },
      { kind: 'key_percent', value: 25 },
    ],
    channels: ['email'],
  },
  budget: { id: 'key-1-idd', limit: credits(100), used: credits(used), start: 0 },
});

describe('an alert rule', () => {
  it.each([
    [49, 1, []],
    [50, 1, ['month_percent']],
    [51, 1, []],
    [25, 3, ['key_percent']],
    [60, 1, []],
    [61, 1, ['balance_below']],
    [90, 90, ['balance_below', 'month_percent', 'key_percent']],
  ])('with %i of 100 credits used after a charge of %i raises %j', (used, amount, kinds) => {
    expect(alertsOf(charged(used, amount)).map(({ rule }) => rule.kind)).toEqual(kinds);
  });

  it('raises its alert exactly once while the balance falls, for any steps', () => {
    const property = fc.property(
      fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 60 }),
      (amounts) => {
        let used = 0;
        const kinds: string[] = [];
        for (const amount of amounts) {
          if (used + amount > 100) continue;
          used += amount;
          kinds.push(...alertsOf(charged(used, amount)).map(({ rule }) => rule.kind));
        }
        const due = [
          used > 60 ? 'balance_below' : '',
          used >= 50 ? 'month_percent' : '',
          used >= 25 ? 'key_percent' : '',
        ];
        expect(kinds.toSorted()).toEqual(due.filter((kind) => kind !== '').toSorted());
      },
    );
    fc.assert(property);
  });

  it('for one key does not apply to another', () => {
    const image = charged(90, 90);
    const rules = [{ kind: 'key_percent', value: 25, keyId: 'key-2' } as const];
    expect(alertsOf({ ...image, alerts: { rules, channels: ['email'] } })).toEqual([]);
  });

  it.each([
    ['the first key', { keyId: 'key-1-id-of-the-first' }],
    ['a key rotated from the first', { keyId: 'key-0-id', family: 'key-1-id' }],
  ])('for %s applies to all keys of the rotation, once for their budget', (_, about) => {
    const image = charged(90, 90);
    const rules = [{ kind: 'key_percent', value: 25, ...about } as const];
    const alerts = alertsOf({ ...image, alerts: { rules, channels: ['email'] } });
    expect(alerts.map((alert) => [alert.keyId, nameOfAlert(alert)])).toEqual([['key-1', 'key-key-1-idd-25']]);
  });
});
