import type { NotificationData } from '@mantine/notifications';
import { type ComponentType, lazy, Suspense, useSyncExternalStore } from 'react';

const load = (): Promise<{ readonly default: ComponentType; readonly show: (message: NotificationData) => unknown }> =>
  import('./toasts.tsx');
// A message that cannot be shown takes no page with it.
const Toasts = lazy(() => load().catch(() => ({ default: () => null })));

let isNeeded = false;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Shows a message that goes by itself. What it takes is loaded with the first one. */
export function notify(message: NotificationData): void {
  isNeeded = true;
  for (const listener of listeners) listener();
  load().then(
    ({ show }) => show(message),
    () => undefined,
  );
}

/** Where messages are shown. */
export function Notifications() {
  const isShown = useSyncExternalStore(subscribe, () => isNeeded);
  return (
    isShown && (
      <Suspense fallback={null}>
        <Toasts />
      </Suspense>
    )
  );
}
