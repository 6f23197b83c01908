import { microPerCredit } from '#contract/billing/prices.ts';
import type { AlertRule, Alerts } from '#contract/routes/alerts.ts';
import { isReadable, type KeyStore } from '../keys/key.ts';
import { familyOf, familyOfBudget } from '../meter/limits.ts';
import {
  heldOf,
  type StoredAlerts,
  type StoredRule,
  type LedgerEntry,
  type Meter,
  usedCredits,
} from '../meter/meter.ts';
import { ServiceError, unknownAccount } from '../shared/service-error.ts';

/** `period`: start of the billing month. Times in epoch seconds, amounts in microcredits. */
export interface ChargedAccount extends Pick<Meter, 'accountId' | 'used' | 'alerts' | 'cap'> {
  readonly balance: number;
  readonly period: number;
  readonly entries: readonly LedgerEntry[];
  /** The spending limit of the charged key, and its use in the current period. */
  readonly budget?: { readonly id: string; readonly limit: number; readonly used: number; readonly start: number };
}

export function chargedBudget(meter: Meter, keyId = ''): ChargedAccount['budget'] {
  const limit = meter.keys.get(keyId)?.limit;
  const budget = limit && meter.budgets.get(limit.budget);
  if (!limit || !budget) return undefined;
  const [{ start, used }, id] = [budget, limit.budget];
  return { id, limit: limit.amount, used: used - heldOf(meter, { id, start }), start };
}

/** With a spending cap, also at 80 and 100 % of the cap. */
const defaultAlerts = ({ cap }: Pick<Meter, 'cap'>): Alerts => {
  const kinds = ['month_percent', ...(cap ? ['cap_percent' as const] : [])] as const;
  return { rules: kinds.flatMap((kind) => [80, 100].map((value) => ({ kind, value }))), channels: ['email'] };
};

/** `period` in epoch seconds. For key rules, `keyId` is the charged key and `budget` its budget. */
export interface Alert {
  readonly accountId: number;
  readonly rule: AlertRule;
  readonly period: number;
  readonly keyId?: string;
  readonly budget?: string;
  readonly at: number;
  readonly channels: Alerts['channels'];
}

export function alertsOf(image: ChargedAccount): Alert[] {
  const { accountId, period, alerts = defaultAlerts(image), entries, cap } = image;
  const [charge] = entries;
  if (charge?.type !== 'charge') return [];
  const { keyId, at } = charge;
  const { rules, channels } = alerts;
  const spent = entries.reduce((sum, { type, amount }) => sum - (type === 'charge' ? amount : 0), 0);
  if (spent === 0) return [];
  return rules.flatMap((rule): Alert[] => {
    if (rule.kind === 'cap_percent')
      return cap && isReached(rule, cap, spent) ? [{ accountId, rule, period: cap.start, at, channels }] : [];
    if (rule.kind !== 'key_percent')
      return isCrossed(rule, image, spent) ? [{ accountId, rule, period, at, channels }] : [];
    const { budget } = image;
    if (!budget || keyId === undefined || !isAbout(rule, keyId, budget.id)) return [];
    if (!isReached(rule, budget, spent)) return [];
    return [{ accountId, rule, period: budget.start, keyId, budget: budget.id, at, channels }];
  });
}

/** Returns whether the charge reaches the share of a limit. */
function isReached({ value }: AlertRule, { used, limit }: { used: number; limit: number }, spent: number): boolean {
  const isOver = (amount: number) => amount * 100 >= limit * value;
  return isOver(used) && !isOver(used - spent);
}

type KeyRule = Extract<StoredRule, { kind: 'key_percent' }>;

/** Includes the keys that replaced the rule's key, because they share its budget. */
function isAbout({ keyId, family }: KeyRule, charged: string, budget: string): boolean {
  if (keyId === undefined || keyId === charged) return true;
  return [family, familyOf(keyId)].includes(familyOfBudget(budget));
}

export function nameOfAlert({ rule: { kind, value }, budget = '' }: Pick<Alert, 'rule' | 'budget'>): string {
  if (kind === 'month_percent') return String(value);
  if (kind === 'cap_percent') return `cap-${value}`;
  return kind === 'balance_below' ? `balance-${value}` : `key-${budget}-${value}`;
}

type AccountRule = Exclude<AlertRule, { kind: 'key_percent' | 'cap_percent' }>;

/** Returns whether the charge makes the rule true. Less than one credit counts as 0. */
function isCrossed({ kind, value }: AccountRule, { used, balance }: ChargedAccount, spent: number): boolean {
  if (kind === 'balance_below') {
    const isBelow = (left: number) => left < value * microPerCredit;
    return isBelow(balance) && !isBelow(balance + spent);
  }
  const usedAfter = usedCredits({ used });
  const available = usedAfter + balance;
  const isOver = (amount: number) =>
    value === 100 ? available - amount < microPerCredit : amount * 100 >= available * value;
  return isOver(usedAfter) && !isOver(usedAfter - spent);
}

export interface AlertStore {
  set(accountId: number, alerts: StoredAlerts): Promise<boolean>;
}

interface AlertParts {
  readonly store: AlertStore;
  readonly keys: Pick<KeyStore, 'find'>;
  readonly findMeter: (accountId: number) => Promise<Meter | undefined>;
}

export function alertService({ store, keys, findMeter }: AlertParts) {
  async function get(accountId: number): Promise<Alerts> {
    const meter = await findMeter(accountId);
    const { rules, channels }: StoredAlerts = meter?.alerts ?? defaultAlerts({ ...meter });
    const shown = rules.map((kept) => {
      const { family: _, ...rule } = kept;
      return rule;
    });
    return { rules: shown, channels };
  }

  async function set(accountId: number, alerts: Alerts): Promise<Alerts> {
    const rules = await Promise.all(
      alerts.rules.map(async (rule, index): Promise<StoredRule> => {
        if (rule.kind !== 'key_percent' || rule.keyId === undefined) return rule;
        const key = await keys.find(accountId, rule.keyId);
        if (!key) throw new ServiceError('INVALID_FORMAT', `rules.${index}.keyId is not a key of this account.`);
        return isReadable(key) && key.budget !== undefined ? { ...rule, family: key.budget } : rule;
      }),
    );
    if (!(await store.set(accountId, { ...alerts, rules }))) throw unknownAccount();
    return alerts;
  }

  return { get, set };
}
