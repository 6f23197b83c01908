import * as v from 'valibot';
import { alertChannels, alertKinds } from '#contract/alerts/alert-kinds.ts';
import type { AlertRule, Alerts } from '#contract/alerts/alerts.ts';
import { count } from './count.ts';

/** The rules of alerts in a meter's item: r rules as kind, value and key, which is empty where a rule has none; c channels. */
export const AlertsRow = v.object({
  r: v.array(v.tuple([v.picklist(alertKinds), count, v.string()])),
  c: v.array(v.picklist(alertChannels)),
});
type AlertsRow = v.InferOutput<typeof AlertsRow>;

export function alertsRow({ rules, channels }: Alerts): AlertsRow {
  const keyOfRule = (rule: AlertRule) => (rule.kind === 'key_percent' ? (rule.keyId ?? '') : '');
  return { r: rules.map((rule) => [rule.kind, rule.value, keyOfRule(rule)]), c: channels };
}

export function alertsOf({ r, c }: AlertsRow): Alerts {
  return { rules: r.map(([kind, value, keyId]) => ({ kind, value, ...(keyId !== '' && { keyId }) })), channels: c };
}
