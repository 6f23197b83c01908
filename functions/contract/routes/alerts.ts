import * as v from 'valibot';
import { alertChannels } from '../alerts/alert-kinds.ts';
import { maxCredits } from '../billing/prices.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { integer, text } from '../shared/fields.ts';

const percent = v.pipe(integer(1), v.maxValue(100, 'must be at most 100'));

/**
 * `balance_below` is in credits. `month_percent` is the share of the billing month's credits. `key_percent` is the
 * share of a key's spending limit, `cap_percent` of the account's spending cap.
 */
const AlertRule = v.variant(
  'kind',
  [
    v.object({ kind: v.literal('balance_below'), value: integer(1, maxCredits) }),
    v.object({ kind: v.literal('month_percent'), value: percent }),
    v.object({ kind: v.literal('cap_percent'), value: percent }),
    v.object({
      kind: v.literal('key_percent'),
      value: percent,
      keyId: v.optional(v.pipe(text(64), v.description('Every limited key if it is left out.'))),
    }),
  ],
  'must be balance_below, month_percent, key_percent or cap_percent',
);
export type AlertRule = v.InferOutput<typeof AlertRule>;

const once = <Item>(message: string) =>
  v.check<Item[], string>((list) => new Set(list.map((item) => JSON.stringify(item))).size === list.length, message);

export const maxAlertRules = 20;

/** Alert settings of an account. Each rule fires once per period and uses every channel. */
export const Alerts = v.object(
  {
    rules: v.pipe(
      v.array(AlertRule, 'must be a list'),
      v.maxLength(maxAlertRules, `must have at most ${maxAlertRules} entries`),
      once('must not have duplicate rules'),
    ),
    channels: v.pipe(
      v.array(v.picklist(alertChannels, 'must be email or webhook'), 'must be a list'),
      v.maxLength(alertChannels.length, `must have at most ${alertChannels.length} entries`),
      once('must not have duplicates'),
    ),
  },
  'must be a JSON object',
);
export type Alerts = v.InferOutput<typeof Alerts>;

export const alertRoutes = {
  getAlerts: defineRoute({
    id: 'get-alerts',
    method: 'GET',
    path: '/api/alerts',
    summary: 'List the alerts',
    note: 'The rules by which the account is alerted.',
    credential: 'session or key',
    access: 'read',
    output: Alerts,
    uses: { tables: { accounts: 'write', meters: 'read' } },
  }),
  setAlerts: defineRoute({
    id: 'set-alerts',
    method: 'PUT',
    path: '/api/alerts',
    summary: 'Replace the alerts',
    note: 'The rules by which the account is alerted.',
    credential: 'session or key',
    access: 'manage',
    confirmed: true,
    bodyInput: Alerts,
    output: Alerts,
    uses: { tables: { accounts: 'write', meters: 'write' } },
  }),
} as const satisfies Record<string, Route>;
