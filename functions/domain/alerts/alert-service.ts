import type { Alerts } from '#contract/alerts/alerts.ts';
import { isReadable } from '../keys/key-record.ts';
import type { KeyStore } from '../keys/key-store.ts';
import type { KeptAlerts, KeptRule, Meter } from '../meter/meter.ts';
import { ServiceError } from '../shared/service-error.ts';
import { defaultAlerts } from './alerts.ts';

export interface AlertStore {
  /** Replaces the account's rules; false when there is no such account. */
  set(accountId: number, alerts: KeptAlerts): Promise<boolean>;
}

interface AlertParts {
  readonly store: AlertStore;
  readonly keys: Pick<KeyStore, 'find'>;
  readonly findMeter: (accountId: number) => Promise<Meter | undefined>;
}

/** The rules of an account's alerts. */
export function alertService({ store, keys, findMeter }: AlertParts) {
  async function get(accountId: number): Promise<Alerts> {
    const { rules, channels }: KeptAlerts = (await findMeter(accountId))?.alerts ?? defaultAlerts;
    const shown = rules.map((kept) => {
      const { family: _, ...rule } = kept;
      return rule;
    });
    return { rules: shown, channels };
  }

  /** Refuses (400) a rule of a key that is not the account's. */
  async function set(accountId: number, alerts: Alerts): Promise<Alerts> {
    const rules = await Promise.all(
      alerts.rules.map(async (rule, index): Promise<KeptRule> => {
        if (rule.kind !== 'key_percent' || rule.keyId === undefined) return rule;
        const key = await keys.find(accountId, rule.keyId);
        if (!key) throw new ServiceError('INVALID_FORMAT', `rules.${index}.keyId names no key of the account.`);
        return isReadable(key) && key.budget !== undefined ? { ...rule, family: key.budget } : rule;
      }),
    );
    if (!(await store.set(accountId, { ...alerts, rules })))
      throw new ServiceError('NOT_FOUND', 'There is no such account.');
    return alerts;
  }

  return { get, set };
}
