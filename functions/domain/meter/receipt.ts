import { microPerCredit } from '#contract/billing/prices.ts';
import type { RateLimit } from '../shared/service-error.ts';

/** What a priced call's response reports. Amounts in microcredits. */
export interface Receipt {
  readonly rateLimit?: RateLimit | undefined;
  /** Of a call whose cost is not known yet. */
  readonly held?: number;
  readonly charged?: number;
  readonly remaining?: number;
  /** Of the key's limit. */
  readonly keyRemaining?: number;
}

/** Microcredits as a decimal number of credits without trailing zeros, exactly. */
export function decimalCredits(micro: number): string {
  const whole = Math.floor(micro / microPerCredit);
  const fraction = String(micro % microPerCredit)
    .padStart(6, '0')
    .replace(/(?<!0)0+$/, '');
  return fraction ? `${whole}.${fraction}` : String(whole);
}
