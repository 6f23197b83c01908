import { useCallback, useEffect, useState } from 'react';
import type * as v from 'valibot';
import { recall, remember } from './account-storage.ts';
import { documentOwner } from './account.ts';

type ChangeDraft<Draft> = (change: Partial<Draft> | ((before: Draft) => Draft)) => void;

/** A draft of the signed-in account in its organization. Survives navigation and reloads; deleted with the session. */
export function useDraft<Draft extends object>(
  schema: v.GenericSchema<unknown, Draft>,
  initial: Draft,
  slot: 'work' | 'speech',
): readonly [Draft, ChangeDraft<Draft>] {
  const owner = documentOwner();
  const [draft, setDraft] = useState<Draft>(
    () => (owner === undefined ? undefined : recall(owner, schema, slot)) ?? initial,
  );
  useEffect(() => {
    if (owner !== undefined) remember(owner, draft, slot);
  }, [owner, draft, slot]);
  const change: ChangeDraft<Draft> = useCallback(
    (next) => setDraft((before) => (typeof next === 'function' ? next(before) : { ...before, ...next })),
    [],
  );
  return [draft, change];
}
