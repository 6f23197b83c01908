import { useCallback, useLayoutEffect, useRef } from 'react';

/** A function that stays the same over all renders, and acts as the last render's does. Not to be called while rendering. */
export function useStableCallback<Args extends readonly unknown[]>(
  act: (...args: Args) => void,
): (...args: Args) => void {
  const latest = useRef(act);
  useLayoutEffect(() => {
    latest.current = act;
  });
  return useCallback((...args: Args) => latest.current(...args), []);
}
