import { useCallback, useEffect, useState } from 'react';
import type * as v from 'valibot';
import { recall, remember } from './account-storage.ts';
import { documentAccount } from './account.ts';

type ChangeDraft<Draft> = (change: Partial<Draft> | ((before: Draft) => Draft)) => void;

/** A draft of the signed-in account. It survives navigation and reloads, and is deleted with the session. */
export function useDraft<Draft extends object>(
  schema: v.GenericSchema<unknown, Draft>,
  initial: Draft,
  slot: 'work' | 'speech',
): readonly [Draft, ChangeDraft<Draft>] {
  const account = documentAccount();
  const [draft, setDraft] = useState<Draft>(
    () => (account === undefined ? undefined : recall(account, schema, slot)) ?? initial,
  );
  useEffect(() => {
    if (account !== undefined) remember(account, draft, slot);
  }, [account, draft, slot]);
  const change: ChangeDraft<Draft> = useCallback(
    (next) => setDraft((before) => (typeof next === 'function' ? next(before) : { ...before, ...next })),
    [],
  );
  return [draft, change];
}
