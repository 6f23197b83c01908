import type { NotificationData } from '@mantine/notifications';
import { type ComponentType, lazy, Suspense } from 'react';
import { toApiError } from '../api/response.ts';
import { sharedValue } from '../lib/hooks.ts';

const load = (): Promise<{ readonly default: ComponentType; readonly show: (message: NotificationData) => unknown }> =>
  import('./toasts.tsx');
// Ignore a failed load: the page still works without notifications.
const Toasts = lazy(() => load().catch(() => ({ default: () => null })));

const isNeeded = sharedValue(false);

/** Shows a temporary message. The code is loaded with the first one. */
export function notify(message: NotificationData): void {
  isNeeded.set(true);
  load().then(
    ({ show }) => show(message),
    () => undefined,
  );
}

export const notifyError = (error: unknown): void => notify({ message: toApiError(error).message, color: 'red' });

export function Notifications() {
  const isShown = isNeeded.use();
  return (
    isShown && (
      <Suspense fallback={null}>
        <Toasts />
      </Suspense>
    )
  );
}
