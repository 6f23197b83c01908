import { useEffect, useState } from 'react';
import * as v from 'valibot';
import { recall, remember } from './tab-memory.ts';

/**
 * An API key that was entered in this tab, which keeps it until it is closed, the session ends or another begins; empty
 * where there is none. `account` is who is signed in, 0 for nobody, undefined until that is known. Keys entered to try
 * operations and those that examples are filled with are kept apart: neither use is a choice of the other.
 */
export function useTabKey(
  account: number | undefined,
  slot: 'entered' | 'example',
): readonly [string, (key: string) => void] {
  const [entered, setEntered] = useState<string>();
  /** Entered before it was known whose page this is. */
  const [early, setEarly] = useState<string>();
  const kept = account === undefined ? undefined : recall(account, v.string(), slot);
  useEffect(() => {
    if (account === undefined || early === undefined) return;
    remember(account, early, slot);
    setEarly(undefined);
  }, [account, early, slot]);
  function change(key: string): void {
    setEntered(key);
    if (account === undefined) setEarly(key);
    else remember(account, key, slot);
  }
  return [entered ?? kept ?? '', change];
}
