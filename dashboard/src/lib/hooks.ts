import { useCallback, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useLocation, useSearch } from 'wouter';

type Values = Readonly<Record<string, string | undefined>>;

/**
 * Returns the URL's query, and a function that changes values without a new history entry. Undefined deletes a value.
 */
export function useQuery(): readonly [URLSearchParams, (values: Values) => void] {
  const search = useSearch();
  const [, go] = useLocation();
  const change = useCallback(
    (values: Values) => {
      const query = new URLSearchParams(window.location.search);
      for (const [name, value] of Object.entries(values)) {
        if (value === undefined) query.delete(name);
        else query.set(name, value);
      }
      go(window.location.pathname + (query.size > 0 ? `?${query.toString()}` : ''), { replace: true });
    },
    [go],
  );
  return [new URLSearchParams(search), change];
}

/** A choice in the URL's query. The first choice is the default, which is omitted from the URL. */
export function useQueryChoice<const Choice extends string>(
  name: string,
  choices: readonly [Choice, ...Choice[]],
): readonly [Choice, (choice: string | null) => void] {
  const [query, change] = useQuery();
  const wanted = query.get(name);
  const choice = choices.find((one) => one === wanted) ?? choices[0];
  return [choice, (next) => change({ [name]: next === null || next === choices[0] ? undefined : next })];
}

/** Returns a stable function that calls the `act` of the last render. Do not call it while rendering. */
export function useStableCallback<Args extends readonly unknown[]>(
  act: (...args: Args) => void,
): (...args: Args) => void {
  const latest = useRef(act);
  useLayoutEffect(() => {
    latest.current = act;
  });
  return useCallback((...args: Args) => latest.current(...args), []);
}

/** Loads code when it is first needed. Undefined until then, and if loading fails: the page must work without it. */
export function useLate<Module>(load: () => Promise<Module>, isNeeded: boolean): Module | undefined {
  const [module, setModule] = useState<Module>();
  useEffect(() => {
    if (!isNeeded || module !== undefined) return undefined;
    let isLeft = false;
    const show = (loaded: Module): void => {
      if (!isLeft) setModule(() => loaded);
    };
    load().then(show, () => undefined);
    return () => {
      isLeft = true;
    };
  }, [load, isNeeded, module]);
  return module;
}

interface SharedValue<Value> {
  set(value: Value): void;
  /** Returns the value, and renders the component again when it changes. */
  use(): Value;
}

/** Creates a value that any code can set and any component can display. */
export function sharedValue<Value>(initial: Value): SharedValue<Value> {
  let current = initial;
  const listeners = new Set<() => void>();
  function subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }
  return {
    set(value) {
      current = value;
      for (const listener of listeners) listener();
    },
    use: () => useSyncExternalStore(subscribe, () => current),
  };
}
