import { useSyncExternalStore } from 'react';

export interface SharedValue<Value> {
  set(value: Value): void;
  /** Renders the component again when the value changes. */
  use(): Value;
}

/** A value that any code can set and components show. */
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
