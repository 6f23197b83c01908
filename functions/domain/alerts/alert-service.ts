import type { Alerts } from '#contract/alerts/alerts.ts';
import type { KeyStore } from '../keys/key-store.ts';
import type { Meter } from '../meter/meter.ts';
import { ServiceError } from '../shared/service-error.ts';
import { defaultAlerts } from './alerts.ts';

export interface AlertStore {
  /** Replaces the account's rules; false when there is no such account. */
  set(accountId: number, alerts: Alerts): Promise<boolean>;
}

interface AlertParts {
  readonly store: AlertStore;
  readonly keys: Pick<KeyStore, 'find'>;
  readonly findMeter: (accountId: number) => Promise<Meter | undefined>;
}

/** The rules of an account's alerts. */
export function alertService({ store, keys, findMeter }: AlertParts) {
  async function get(accountId: number): Promise<Alerts> {
    return (await findMeter(accountId))?.alerts ?? defaultAlerts;
  }

  /** Refuses (400) a rule of a key that is not the account's. */
  async function set(accountId: number, alerts: Alerts): Promise<Alerts> {
    await Promise.all(
      alerts.rules.map(async (rule, index) => {
        if (rule.kind !== 'key_percent' || rule.keyId === undefined) return;
        if (!(await keys.find(accountId, rule.keyId)))
          throw new ServiceError('INVALID_FORMAT', `rules.${index}.keyId names no key of the account.`);
      }),
    );
    if (!(await store.set(accountId, alerts))) throw new ServiceError('NOT_FOUND', 'There is no such account.');
    return alerts;
  }

  return { get, set };
}
