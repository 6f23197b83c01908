import type { NotificationData } from '@mantine/notifications';
import { type ComponentType, lazy, Suspense, useSyncExternalStore } from 'react';

const load = (): Promise<{ readonly default: ComponentType; readonly show: (message: NotificationData) => unknown }> =>
  import('./toasts.tsx');
// Ignore a failed load: the page still works without notifications.
const Toasts = lazy(() => load().catch(() => ({ default: () => null })));

let isNeeded = false;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Shows a temporary message. The code is loaded with the first one. */
export function notify(message: NotificationData): void {
  isNeeded = true;
  for (const listener of listeners) listener();
  load().then(
    ({ show }) => show(message),
    () => undefined,
  );
}

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
