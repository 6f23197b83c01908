import type { KeyLimits } from '../key-limits.ts';
import { type Attempt, budgetOf } from './admission.ts';

type Caller = Pick<Attempt, 'keyId'>;

/** Keys whose limits a process remembers. */
const maxKnown = 1000;

/**
 * The limits of the keys that called lately, so that the first write of a call is the right one: what is not known, or has changed,
 * costs a second write, never a wrong admission. Only keys that work get here.
 */
export function knownLimits() {
  const byKey = new Map<string, KeyLimits>();

  function learn({ keyId }: Caller, limits: KeyLimits | undefined): void {
    if (keyId === undefined) return;
    byKey.delete(keyId);
    if (limits) byKey.set(keyId, limits);
    const [oldest] = byKey.size > maxKnown ? byKey.keys() : [];
    if (oldest !== undefined) byKey.delete(oldest);
  }

  return {
    of: (keyId: string | undefined) => (keyId === undefined ? undefined : byKey.get(keyId)),
    learn,
    /** A call was admitted, which may have begun a new period. */
    admitted(attempt: Attempt): void {
      const stored = budgetOf(attempt);
      if (stored && attempt.keyLimits) learn(attempt, { ...attempt.keyLimits, stored });
    },
  };
}
