import * as v from 'valibot';
import { readStored, store } from '../../../lib/storage.ts';

/** Accounts that dismissed their first steps in this browser: each only for itself, and nothing else of them. */
const name = 'first-steps-dismissed';
const maxAccounts = 20;
const Accounts = v.pipe(v.string(), v.parseJson(), v.array(v.number()));

function dismissedBy(): number[] {
  const stored = v.safeParse(Accounts, readStored('localStorage', name));
  return stored.success ? stored.output : [];
}

export const isDismissed = (account: number): boolean => dismissedBy().includes(account);

export function dismiss(account: number): void {
  const others = dismissedBy().filter((one) => one !== account);
  store('localStorage', name, JSON.stringify([...others, account].slice(-maxAccounts)));
}
