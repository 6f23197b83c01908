import { normalizedEmail } from '../accounts/account.ts';
import type { Clock } from '../shared/ports.ts';

/** Its server refuses the address for good, or its owner called one of our mails spam. */
export type SuppressionReason = 'bounce' | 'complaint';

/** Addresses that no mail goes to any more, in lower case. */
export interface SuppressionStore {
  /** False, and nothing changes, for an address that is there already. `at` in epoch ms. */
  add(address: string, reason: SuppressionReason, at: number): Promise<boolean>;
  has(address: string): Promise<boolean>;
  find(address: string): Promise<{ readonly reason: SuppressionReason; readonly at: number } | undefined>;
}

/** Gives how many of the addresses are newly suppressed; repeating it changes nothing. */
export async function suppress(
  store: SuppressionStore,
  clock: Clock,
  addresses: readonly string[],
  reason: SuppressionReason,
): Promise<number> {
  const now = clock.now();
  const unique = new Set(addresses.map(normalizedEmail));
  const added = await Promise.all([...unique].map((address) => store.add(address, reason, now)));
  return added.filter(Boolean).length;
}
