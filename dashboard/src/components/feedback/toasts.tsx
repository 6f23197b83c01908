import '@mantine/notifications/styles.css';
import { Notifications, notifications, useNotifications } from '@mantine/notifications';
import { useLayoutEffect } from 'react';
import { type Area, freePlace, isFree, minCovering } from './free-place.ts';

export const { show } = notifications;

const position = 'bottom-right';
/** How often the page is looked at while a toast is shown: a dialog may open, or a button appear. */
const lookMs = 100;

export default function Toasts() {
  const shown = useNotifications().notifications.length;
  useLayoutEffect(() => (shown > 0 ? keepClear() : undefined), [shown]);
  // One that waits for another to close is a message too late.
  return <Notifications position={position} autoClose={5000} limit={10} pauseResetOnHover="notification" />;
}

const buttons =
  'button, input, select, textarea, label, [role="button"], [role="menuitem"], [role="option"], [role="tab"]';

/** Keeps the toasts where they cover no button, whatever the page below them does. */
function keepClear(): () => void {
  const frame = requestAnimationFrame(place);
  const timer = setInterval(place, lookMs);
  window.addEventListener('scroll', place, { capture: true, passive: true });
  window.addEventListener('resize', place);
  return () => {
    cancelAnimationFrame(frame);
    clearInterval(timer);
    window.removeEventListener('scroll', place, { capture: true });
    window.removeEventListener('resize', place);
  };
}

function place(): void {
  // The portal is mounted after the first effects.
  const root = document.querySelector<HTMLElement>(`.mantine-Notifications-root[data-position="${position}"]`);
  if (!root) return;
  const toasts = [...root.querySelectorAll('.mantine-Notification-root')];
  if (toasts.length === 0) return;
  const { left, top, width } = root.getBoundingClientRect();
  // One that opens or closes is not as high as its content.
  const height = Math.max(root.offsetHeight, ...toasts.map(({ scrollHeight }) => scrollHeight));
  const size = { width, height };
  const window = { width: document.documentElement.clientWidth, height: innerHeight };
  const [all, controls] = [obstacles(root, `a[href], ${buttons}`, window), obstacles(root, buttons, window)];
  const isWithin = top >= 0 && top + height <= window.height && left + width <= window.width;
  if (isWithin && isFree({ left, top, ...size }, all)) return;
  const found =
    freePlace(size, window, all) ?? freePlace(size, window, controls) ?? minCovering(size, window, controls);
  if (found) Object.assign(root.style, { inset: 'auto', left: `${found.left}px`, top: `${found.top}px` });
}

/** What can be pressed in the window: in the dialog that is open, if any, as the page below it is inert. */
function obstacles(root: HTMLElement, selector: string, window: Pick<Area, 'width' | 'height'>): Area[] {
  const scope = [...document.querySelectorAll('[aria-modal="true"]')].at(-1) ?? document;
  return [...scope.querySelectorAll(selector)]
    .filter((element) => !root.contains(element) && element.checkVisibility())
    .map((element) => element.getBoundingClientRect())
    .filter(({ top, bottom, left, right }) => bottom > 0 && top < window.height && right > 0 && left < window.width);
}
