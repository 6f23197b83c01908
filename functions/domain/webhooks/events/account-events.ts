import { microPerCredit } from '#contract/billing/prices.ts';
import { alertsOf, nameOfAlert } from '../../alerts/alerts.ts';
import { imageOf, ledgerRows, type MeterImage } from '../../billing/ledger.ts';
import type { AccountEvent, MeterChange } from './event.ts';
import { keyEvents } from './key-events.ts';
import { subscriptionEvents } from './subscription-events.ts';
import { transcriptionEvents } from './transcription-events.ts';

/**
 * What happened to an account with one write to its meter: all of it, and nothing else. A function of the change alone, so that each
 * event happens with the write that it is about, and a change that is looked at again has the same events in the same order.
 */
export function eventsOf(change: MeterChange): readonly AccountEvent[] {
  const { before, after, entries } = change;
  if (!before || after.closed === 'deleted') return [];
  const image = imageOf(after, entries);
  return [
    ...creditEvents(image),
    ...alertEvents(image),
    ...subscriptionEvents({ ...change, before }),
    ...keyEvents({ ...change, before }),
    ...transcriptionEvents(change),
  ];
}

function creditEvents(image: MeterImage): AccountEvent[] {
  const moved = ledgerRows(image).flatMap((row): AccountEvent[] => {
    const { accountId, seq, at, type, amount, source = 'plan' } = row;
    const data = { accountId, seq, credits: Math.abs(amount) / microPerCredit, balance: row.balance / microPerCredit };
    if (type === 'grant' && amount > 0) return [{ type: 'credits.granted', at, data: { ...data, source } }];
    return type === 'expiry' ? [{ type: 'credits.expired', at, data }] : [];
  });
  const { accountId, seq, alerts: _, ...rest } = image;
  const data = { accountId, seq, balance: image.balance / microPerCredit };
  // Without rules of the account's own those of every account apply: 80 and 100 % of the month.
  const crossed = alertsOf({ accountId, ...rest }).map(({ rule, at }): AccountEvent => {
    return { type: rule.value === 100 ? 'credits.exhausted' : 'credits.low', at, data };
  });
  return [...moved, ...crossed];
}

/** Of an account that has chosen to be alerted by webhooks. */
function alertEvents(image: MeterImage): AccountEvent[] {
  const { accountId, seq, alerts, balance } = image;
  if (!alerts?.channels.includes('webhook')) return [];
  return alertsOf(image).map((alert): AccountEvent => {
    const { rule, period, keyId, at } = alert;
    const { kind, value } = rule;
    const data = { accountId, seq, kind, value, keyId: keyId ?? null, balance: balance / microPerCredit };
    return { type: 'alert.triggered', at, data, once: `${period}-${nameOfAlert(alert)}` };
  });
}
