import { useSyncExternalStore } from 'react';

export interface SharedValue<Value> {
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
